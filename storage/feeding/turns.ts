/**
 * Gives hosts their turns to be worked, or to be asked whether they answer: a look finds the hosts that wait
 * (waiting-hosts.ts), domain/front-queue/ decides whose turn it is, and a second statement takes those hosts that nobody
 * took meanwhile. Each function also puts aside the hosts that it looked at and that get no turn.
 */
import { placesToAskBack, type Claims } from '../../domain/front-queue/give-back.ts';
import {
  countPlaces,
  giveFromFront,
  noPlaces,
  underPressure,
  type FrontState,
  type PlacesGiven,
} from '../../domain/front-queue/front-state.ts';
import { mostCounted, pressureOf } from '../../domain/front-queue/load.ts';
import type { PlaceGiven, WaitingHost, WantingCrawl } from '../../domain/front-queue/places.ts';
import { optOutDetail } from '../../domain/opt-out.ts';
import type { HostPlace } from '../../domain/regions.ts';
import { type Queryable, retrying } from '../postgres/index.ts';
import {
  askPlacesBack,
  type AskedBack,
  correctTurns,
  countWaiting,
  feedHosts,
  type FedHost,
  hostsForPlaces,
} from './feed.sql.ts';
import { admitAtDoor, hostsForDoor, leaveToDoors, type HostAtDoor } from './door.sql.ts';
import type { Aside, Held, Looked, Ready } from './waiting-hosts.ts';
import { excludeHostsOptedOut } from '../opt-outs/index.ts';

/** Most URLs of opted-out hosts that one statement excludes; the next look finds the rest. */
const optOutBatch = 5_000;

export interface Turns {
  readonly fed: readonly FedHost[];
  /** Hosts that must give their places back. */
  readonly asked: readonly AskedBack[];
  /** Queues whose turn had come, perhaps too early. */
  readonly found: number;
  /** How the places of `fed` were chosen. */
  readonly given: PlacesGiven;
  readonly front: FrontState;
}

/** In a statement: any number. */
const anyNumber = 2 ** 31 - 1;

/**
 * Marks hosts of a shard as worked until `activeHosts` are. If as many are already, marks hosts that must give their
 * places back to others that wait. @param front as the last look left it @param most places that may be given now
 */
export async function takeTurns(
  db: Queryable,
  shard: number,
  activeHosts: number,
  front: FrontState,
  most = anyNumber,
): Promise<Turns> {
  const look = byKind(await retrying(() => hostsForPlaces(db, shard, activeHosts, most)));
  await putAside(db, look.aside);
  const found = look.waiting.length + look.aside.length;
  const free = activeHosts - look.worked;
  const waits =
    (free > 0 && free <= most) || look.waiting.length === 0
      ? look.waiting.length
      : await waitingIn(db, shard, activeHosts);
  const pressed = underPressure(front, pressureOf(look.worked, waits, activeHosts));
  if (free <= 0) {
    const asks = placesToAskBack(claimsOf(look), activeHosts, pressed.mode);
    const rows = JSON.stringify(asks.map(({ crawlId, tier, hosts }) => ({ crawl_id: crawlId, tier, hosts })));
    const asked = asks.length === 0 ? [] : await retrying(() => askPlacesBack(db, shard, rows));
    return { fed: [], asked, found, given: noPlaces, front: pressed };
  }
  const { places, front: next } = giveFromFront(pressed, {
    ...look,
    free: Math.min(free, most),
    most: Infinity,
  });
  const fed = places.length === 0 ? [] : await retrying(() => feedHosts(db, asRows(places)));
  const ids = new Set(fed.map(({ id }) => id));
  return {
    fed,
    asked: [],
    found,
    given: countPlaces(places.filter(({ hostId }) => ids.has(hostId))),
    front: next,
  };
}

async function waitingIn(db: Queryable, shard: number, activeHosts: number): Promise<number> {
  const [counted] = await retrying(() => countWaiting(db, shard, Math.min(activeHosts, mostCounted)));
  return counted?.waiting ?? 0;
}

/** The hosts of which regions a door asks. */
export interface DoorRegions {
  /** The queues in which it looks: '' is that of hosts whose region nobody has looked at. */
  readonly queues: readonly string[];
  /** The region whose doors are to ask a host; null: this door may. Absent: the instance has no regions. */
  readonly homeElsewhere?: (place: HostPlace) => string | null;
}

/**
 * Takes the leases of hosts at the door, as many as places are free. @param places that are taken already, by crawl
 * @param most places of a crawl
 */
export async function takeTurnsAtDoor(
  db: Queryable,
  places: ReadonlyMap<number, number>,
  free: number,
  most: number,
  leaseMs: number,
  front: FrontState,
  { queues, homeElsewhere }: DoorRegions = { queues: [''] },
): Promise<{ readonly hosts: readonly HostAtDoor[]; readonly front: FrontState }> {
  const taken = JSON.stringify(Array.from(places, ([crawl_id, hosts]) => ({ crawl_id, hosts })));
  const rows = await retrying(() => hostsForDoor(db, taken, free, queues, homeElsewhere !== undefined));
  const away = rows.flatMap(({ ready }) => {
    if (ready === null) return [];
    const region = (ready.place && homeElsewhere?.(ready.place)) ?? null;
    return region === null ? [] : [{ ready, region }];
  });
  if (away.length > 0) await retrying(() => leaveToDoors(db, asQueues(away)));
  const others = new Set(away.map(({ ready }) => ready));
  const look = byKind(rows.filter(({ ready }) => ready === null || !others.has(ready)));
  await putAside(db, look.aside);
  const pressed = underPressure(front, pressureOf(look.worked, look.waiting.length, look.worked + free));
  const { places: given, front: next } = giveFromFront(pressed, { ...look, free, most });
  const hosts = given.length === 0 ? [] : await retrying(() => admitAtDoor(db, asRows(given), leaseMs));
  return { hosts, front: next };
}

const asQueues = (away: readonly { readonly ready: Ready; readonly region: string }[]): string =>
  JSON.stringify(away.map(({ ready: { host_id, crawl_id }, region }) => ({ host_id, crawl_id, region })));

const asRows = (places: readonly PlaceGiven[]): string =>
  JSON.stringify(places.map(({ hostId, crawlId, tier }) => ({ host_id: hostId, crawl_id: crawlId, tier })));

interface FrontSeen {
  readonly held: readonly Held[];
  /** Places that are taken. */
  readonly worked: number;
  readonly heldByTenant: ReadonlyMap<number, number>;
  readonly crawls: readonly WantingCrawl[];
  readonly waiting: readonly WaitingHost[];
  readonly aside: readonly Aside[];
}

function byKind(rows: readonly Looked[]): FrontSeen {
  const held = rows.flatMap((row) => row.held ?? []);
  const ready = rows.flatMap((row) => row.ready ?? []);
  const heldByTenant = new Map<number, number>();
  const holds = new Map<number, number>();
  for (const { crawl_id, tenant_id, hosts } of held) {
    heldByTenant.set(tenant_id, (heldByTenant.get(tenant_id) ?? 0) + hosts);
    holds.set(crawl_id, (holds.get(crawl_id) ?? 0) + hosts);
  }
  const crawls = new Map<number, WantingCrawl>();
  for (const { crawl_id: crawlId, tenant_id: tenantId, weight } of ready)
    crawls.set(crawlId, { crawlId, tenantId, weight, holds: holds.get(crawlId) ?? 0 });
  return {
    held,
    worked: held.reduce((sum, { hosts }) => sum + hosts, 0),
    heldByTenant,
    crawls: [...crawls.values()],
    waiting: ready.map(({ host_id: hostId, crawl_id: crawlId, tier, authority, since }) => ({
      hostId,
      crawlId,
      tier,
      authority,
      since: since ?? 0,
    })),
    aside: rows.flatMap((row) => row.aside ?? []),
  };
}

/** A host that several crawls want counts for each of them: at worst a place too many is asked for. */
function claimsOf({ held, crawls, waiting }: FrontSeen): Claims[] {
  const claims = new Map<number, Claims>();
  const claimOf = (crawlId: number, tenantId: number, weight: number): Claims => {
    const claim = claims.get(crawlId) ?? { crawlId, tenantId, weight, works: [0, 0, 0], waits: [0, 0, 0] };
    claims.set(crawlId, claim);
    return claim;
  };
  for (const { crawl_id, tenant_id, weight, tier, hosts } of held)
    claimOf(crawl_id, tenant_id, weight).works[tier] += hosts;
  const tenants = new Map(crawls.map((crawl) => [crawl.crawlId, crawl]));
  for (const { crawlId, tier } of waiting) {
    const crawl = tenants.get(crawlId);
    if (crawl !== undefined) claimOf(crawlId, crawl.tenantId, crawl.weight).waits[tier]++;
  }
  return [...claims.values()];
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
