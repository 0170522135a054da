/**
 * Gives hosts their turns to be worked, or to be asked whether they answer (fair-turns.ts). Each function also puts
 * aside the hosts that it looked at and that get no turn.
 */
import { optOutDetail } from '../../domain/opt-out.ts';
import type { Aside } from './fair-turns.ts';
import { type Queryable, retrying } from '../postgres/index.ts';
import { askPlacesBack, type AskedBack, correctTurns, feedHosts, type FedHost } from './feed.sql.ts';
import { hostsAtDoor, type HostAtDoor } from './door.sql.ts';
import { excludeHostsOptedOut } from '../opt-outs/index.ts';

/** Most URLs of opted-out hosts that one statement excludes; the next look finds the rest. */
const optOutBatch = 5_000;

/** As `feedHosts`. */
export async function takeTurns(db: Queryable, shard: number, activeHosts: number): Promise<FedHost[]> {
  const rows = await retrying(() => feedHosts(db, shard, activeHosts));
  await putAside(db, rows.flatMap(({ aside }) => aside ?? [])); // prettier-ignore
  return rows.flatMap(({ fed }) => fed ?? []);
}

/** As `askPlacesBack`. */
export async function takePlacesBack(
  db: Queryable,
  shard: number,
  activeHosts: number,
): Promise<AskedBack[]> {
  const rows = await retrying(() => askPlacesBack(db, shard, activeHosts));
  await putAside(db, rows.flatMap(({ aside }) => aside ?? [])); // prettier-ignore
  return rows.flatMap(({ asked }) => asked ?? []);
}

/** As `hostsAtDoor`. @param places that are taken already, by crawl */
export async function takeTurnsAtDoor(
  db: Queryable,
  places: ReadonlyMap<number, number>,
  free: number,
  most: number,
  leaseMs: number,
): Promise<HostAtDoor[]> {
  const taken = JSON.stringify(Array.from(places, ([crawl_id, hosts]) => ({ crawl_id, hosts })));
  const rows = await retrying(() => hostsAtDoor(db, taken, free, most, leaseMs));
  await putAside(db, rows.flatMap(({ aside }) => aside ?? [])); // prettier-ignore
  return rows.flatMap(({ asked }) => asked ?? []);
}

/**
 * Excludes what is queued at hosts that have opted out, before anybody asks about them, even DNS. Puts right the turns
 * of hosts whose time has not come.
 */
async function putAside(db: Queryable, aside: readonly Aside[]): Promise<void> {
  const out = new Map(
    aside.flatMap(({ host_id: id, domain }) =>
      domain === null ? [] : [[id, { id, detail: optOutDetail(domain) }] as const],
    ),
  );
  if (out.size > 0) {
    await retrying(() => excludeHostsOptedOut(db, JSON.stringify([...out.values()]), optOutBatch));
  }
  const early = aside.filter(({ domain }) => domain === null);
  if (early.length > 0) await retrying(() => correctTurns(db, JSON.stringify(early)));
}
