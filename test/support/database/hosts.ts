/** Hosts as a test needs them, and what it looks for in them. A host is named by its id or by its origin. */
import type { HostSettingsChange } from '../../../contracts/hosts.ts';
import type { Queryable } from '../../../storage/postgres/index.ts';
import { fromNow, longAgo, type Columns, type Read } from './table.ts';
import { tables, type HostRow } from './tables.ts';

type Host = string | number;

const named = (host: Host) => (/^\d+$/.test(String(host)) ? { id: host } : { origin: host });

export const hostRow = (db: Queryable, host: Host): Promise<Read<HostRow>> =>
  tables.host.row(db, named(host));

export const hostIdOf = async (db: Queryable, origin: string): Promise<string> =>
  String((await hostRow(db, origin)).id);

export async function changeHost(db: Queryable, host: Host, columns: Columns<HostRow>): Promise<void> {
  await tables.host.change(db, named(host), columns);
}

/** Makes the host, or changes the one that there is; answers its id. */
export async function addHost(
  db: Queryable,
  origin: string,
  columns: Columns<HostRow> = {},
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into host (origin, shard) values ($1, 0) on conflict (origin) do update set shard = 0 returning id`,
    [origin],
  );
  const id = rows[0]?.id ?? 0;
  if (Object.keys(columns).length > 0) await changeHost(db, id, columns);
  return id;
}

/** A host that has failed so often already, and just now for the first time. */
export const addFailingHost = (db: Queryable, origin: string, failures: number): Promise<number> =>
  addHost(db, origin, { failures, failing_since: fromNow() });

/** The host of a server that is gone, if it is known: the system gives its port to another one. */
export async function moveHostAway(db: Queryable, origin: string): Promise<void> {
  await tables.host.changeAny(db, { origin }, { origin: `${origin}/earlier/${String(Math.random())}` });
}

export const hostFailed = (db: Queryable, host: Host, failures: number): Promise<void> =>
  changeHost(db, host, { failures, failing_since: fromNow() });

export const hostParked = (db: Queryable, host: Host, columns: Columns<HostRow> = {}): Promise<void> =>
  changeHost(db, host, { parked_at: fromNow(), ...columns });

/** As after a crash: the time of the lease has passed, and nobody returned it. */
export const leaseEnded = (db: Queryable, host: Host): Promise<void> =>
  changeHost(db, host, { lease_until: fromNow(-1) });

/** No pace, rest or backoff keeps the host from being asked. */
export const hostRested = (db: Queryable, host: Host): Promise<void> =>
  changeHost(db, host, { not_before: longAgo, paced_until: longAgo, asked_at: null });

/** The host's robots.txt was read just now. */
export async function robotsRead(
  db: Queryable,
  host: Host,
  { status = 404, body = null }: { readonly status?: number; readonly body?: string | null } = {},
): Promise<void> {
  const { id } = await hostRow(db, host);
  await tables.robots.remove(db, { host_id: id });
  await tables.robots.add(db, { host_id: id, status, body, fetched_at: fromNow() });
}

/** Settings that a host has had all along: unlike `setHost`, it forgets no pace and no closing, and tells no slice under way. */
export async function hadSettings(db: Queryable, host: Host, settings: HostSettingsChange): Promise<void> {
  const all = { ...(await hostRow(db, host)).settings, ...settings };
  const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  await changeHost(db, host, { settings: kept });
}

/** As `optOut`, without the wait for workers that hold an older list, and before anything is excluded. */
export async function optedOut(db: Queryable, domain: string): Promise<void> {
  await tables.optOut.add(db, { domain });
  await newOptOutList(db);
}

export async function noOptOuts(db: Queryable): Promise<void> {
  await tables.optOut.remove(db);
  await newOptOutList(db);
}

/** Copies of the list are kept until its revision is another one. */
async function newOptOutList(db: Queryable): Promise<void> {
  await db.query('update opt_out_revision set revision = revision + 1');
}

/** @param origin of the n-th host, from 1 on. Answers their ids. */
export async function addHosts(
  db: Queryable,
  count: number,
  origin: (n: number) => string,
  columns: Columns<HostRow> = {},
): Promise<number[]> {
  const rows = Array.from({ length: count }, (_, at) => ({ shard: 0, ...columns, origin: origin(at + 1) }));
  return (await tables.host.addAll(db, rows)).map(({ id }) => id);
}

/** The tier that the database gives to a priority. */
export async function frontTier(db: Queryable, priority: number): Promise<number> {
  const { rows } = await db.query<{ tier: number }>('select front_tier($1::real) as tier', [priority]);
  return rows[0]?.tier ?? NaN;
}
