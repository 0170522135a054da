/** Hosts as operators list them, look at them and set them. */
import type { HostSettingsChange, HostSummary, HostView } from '../../contracts/hosts.ts';
import { closingAt, hostDay } from '../../domain/closing.ts';
import { operatorMs } from '../../domain/host-delay.ts';
import { hostDelayMs } from '../../domain/pace.ts';
import type { HostState } from '../../domain/host-state.ts';
import type { HostRegion, Regions } from '../../domain/regions.ts';
import { homesOf } from '../instance/index.ts';
import { dailyQuota, usedOn } from '../../domain/quota.ts';
import { type Pool, type Queryable, retrying } from '../postgres/index.ts';
import { changeHostSettings, dropHost, forgetTurns } from './operators.sql.ts';
import { ensureHosts, hostCrawls, hostIds, listHosts, type HostRow } from './rows.sql.ts';

export interface HostPage {
  readonly items: readonly HostSummary[];
  /** The `after` of the next call; null: no more hosts follow. */
  readonly next: string | null;
}

/** Hosts in the order in which they were met. @param state null: any */
export async function hostsAfter(
  db: Queryable,
  after: string | null,
  state: HostState | null,
  limit: number,
  regions?: Regions,
): Promise<HostPage> {
  const rows = await listHosts(db, after ?? '0', state, null, limit);
  const last = rows.at(-1);
  return summariesOf(db, rows, last === undefined || rows.length < limit ? null : String(last.id), regions);
}

async function summariesOf(
  db: Queryable,
  rows: readonly HostRow[],
  next: string | null,
  regions?: Regions,
): Promise<HostPage> {
  const homes = await homesOf(db, regions, rows);
  return { items: rows.map((row) => summaryOf(row, homes.get(row.origin))), next };
}

const pageLooked = 500;

/** As `hostsAfter`, of the hosts that fit; ends after so many are looked at, and `next` goes on behind them. */
export async function hostsFitting(
  db: Queryable,
  {
    after,
    state,
    fits,
    limit,
    looks,
  }: {
    readonly after: string | null;
    readonly state: HostState | null;
    readonly fits: (origin: string) => boolean;
    readonly limit: number;
    readonly looks: number;
  },
  regions?: Regions,
): Promise<HostPage> {
  const found: HostRow[] = [];
  let next = after;
  for (let looked = 0; looked < looks; looked += pageLooked) {
    const rows = await listHosts(db, next ?? '0', state, null, pageLooked);
    for (const [at, row] of rows.entries()) {
      if (fits(row.origin)) found.push(row);
      next = String(row.id);
      if (found.length === limit && (at < rows.length - 1 || rows.length === pageLooked))
        return summariesOf(db, found, next, regions);
    }
    if (rows.length < pageLooked) return summariesOf(db, found, null, regions);
  }
  return summariesOf(db, found, next, regions);
}

/** Null: no crawl has met the host, and nobody has set anything for it. */
export async function viewHost(db: Queryable, origin: string, regions?: Regions): Promise<HostView | null> {
  return (await readHost(db, origin, regions))?.body ?? null;
}

/** As `viewHost`, with the version of its settings. */
export async function readHost(
  db: Queryable,
  origin: string,
  regions?: Regions,
): Promise<{ readonly version: number; readonly body: HostView } | null> {
  const [row] = await listHosts(db, '0', null, origin, 1);
  if (row === undefined) return null;
  const crawls = await hostCrawls(db, row.id);
  const homes = await homesOf(db, regions, [row]);
  const body = {
    ...summaryOf(row, homes.get(origin)),
    crawls: crawls.map(({ id, state, queued, leased, weight }) => ({
      crawlId: id,
      state,
      queued,
      leased,
      weight,
    })),
  };
  return { version: row.settings_revision, body };
}

/**
 * Changes settings of a host; makes the host if no crawl has met it yet. A slice under way sees the change within a
 * second; the caller must wake a workflow that sleeps.
 * @param shard of a new host
 * @param ifMatch the host must exist, and its settings must have one of these versions (null: any). Absent: no such
 * demand.
 * @returns false if the demand is not met: then nothing was changed
 */
export async function setHost(
  db: Queryable,
  origin: string,
  shard: number,
  change: HostSettingsChange,
  ifMatch: { readonly versions: readonly number[] | null } | null = null,
): Promise<boolean> {
  if (ifMatch === null) await ensureHosts(db, JSON.stringify([{ origin, shard }]));
  const [host] = await hostIds(db, [origin]);
  if (host !== undefined) return changeSettings(db, host.id, change, ifMatch?.versions);
  if (ifMatch === null) throw new Error(`the host ${origin} has no row`);
  return false;
}

/** As `setHost`, for a host that has a row. @param versions null: any */
export async function changeSettings(
  db: Queryable,
  hostId: string | number,
  change: HostSettingsChange,
  versions: readonly number[] | null = null,
): Promise<boolean> {
  const changed = (await changeHostSettings(db, hostId, JSON.stringify(change), versions)).length > 0;
  if (changed) await retrying(() => forgetTurns(db, hostId));
  return changed;
}

const authorities = { '-1': 'never', '0': 'of-seeds', '1': 'always' } as const;

/** URLs that one statement excludes. */
const dropBatch = 5_000;

/**
 * Excludes the queued URLs of a host, for good. `more`: time was up, or `signal` was aborted, before all were excluded;
 * the next call goes on.
 * @param until by `performance.now()`
 */
export async function dropQueue(
  pool: Pool,
  hostId: string,
  reason: string,
  until = Infinity,
  signal?: AbortSignal,
): Promise<{ readonly dropped: number; readonly more: boolean }> {
  for (let dropped = 0; ;) {
    const { length } = await retrying(() => dropHost(pool, hostId, reason, dropBatch));
    dropped += length;
    // A batch is short where a visit has leased URLs of it meanwhile: there may be more.
    if (length === 0) return { dropped, more: false };
    if (performance.now() > until || signal?.aborted === true) return { dropped, more: true };
  }
}

function summaryOf(row: HostRow, region: HostRegion | null = null): HostSummary {
  const { settings, now_ms: now } = row;
  const counted = { day: row.requests_day, used: row.requests_used };
  const { day } = hostDay(settings.windows, now);
  const closing = closingAt(settings, row.budget, counted, now);
  return {
    origin: row.origin,
    state: row.state,
    settings,
    queued: row.queued,
    leased: row.leased,
    deadLetters: row.dead_letters,
    parkedAt: instant(row.parked_at),
    failures: row.failures,
    failingSince: instant(row.failing_since),
    lastError: row.last_error,
    slowdown: row.slowdown,
    delaySeconds: delayInForce(row),
    notBefore: row.wait_ms > 0 ? new Date(now + row.wait_ms).toISOString() : null,
    closedBy: closing?.by ?? null,
    opensAt: closing === null ? null : new Date(closing.until).toISOString(),
    today: {
      day,
      requests: usedOn(day, counted, 0),
      reserved: row.requests_reserved,
      quota: dailyQuota(settings.quotaPerDay, row.budget),
    },
    quality: {
      value: row.quality,
      pinned: row.pinned,
      leftForLater: row.later,
      requestsPerDay: row.budget,
      authority: authorities[row.esteem],
    },
    region,
  };
}

/** The delay in seconds, as far as the row tells: that of the last slice, under the present slowdown and settings. */
const delayInForce = ({ settings, base_delay_ms: robotsMs, slowdown }: HostRow): number =>
  hostDelayMs({ operatorMs: operatorMs(settings), robotsMs, hurriedMs: [], slowdown }) / 1_000;

const instant = (date: Date | null): string | null => date?.toISOString() ?? null;
