/**
 * Hands out URLs to a foreign fetcher (F37): each of another host, whose lease is held for it as a slice of ours holds
 * it, so that nobody else sends anything there meanwhile. A host is lent when it may be visited now, its robots.txt is
 * known, and no window, quota, opt-out or operator closes it; then for one request.
 *
 * Leases are taken for a moment, and held for the whole loan in the statement that records it: a crash in between blocks
 * hosts for that moment alone.
 */
import { randomUUID } from 'node:crypto';
import { earned, heldMs } from '../../domain/lending.ts';
import { robotsFreshMs } from '../../domain/robots.ts';
import { standingAt } from '../../domain/windows.ts';
import { retrying } from '../../storage/retry.ts';
import { askToLend } from '../../storage/statements/ask-to-lend.ts';
import { commitResults } from '../../storage/statements/commit-results.ts';
import { crawlsToLendFrom } from '../../storage/statements/crawls-to-lend-from.ts';
import { forgetLent } from '../../storage/statements/forget-lent.ts';
import { handOutUrls } from '../../storage/statements/hand-out-urls.ts';
import { leaveToWorkers } from '../../storage/statements/leave-to-workers.ts';
import { lendHosts, type LendableHost } from '../../storage/statements/lend-hosts.ts';
import { loansOfTenant } from '../../storage/statements/loans-of-tenant.ts';
import { noteTurns } from '../../storage/statements/note-turns.ts';
import { reclaimUrls } from '../../storage/statements/reclaim-urls.ts';
import { releaseLease } from '../../storage/statements/release-lease.ts';
import { returnUrls } from '../../storage/statements/return-urls.ts';
import { waitingCrawls } from '../../storage/statements/waiting-crawls.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { leaseWithinLimits } from '../visit/lease-within-limits.ts';
import { excludedRow } from '../visit/record.ts';
import type { HeldLease } from '../../domain/lease.ts';
import type { Wanted } from '../visit/gates.ts';
import { HostVisit } from '../visit/host-visit.ts';
import { HostLease } from '../visit/lease-keeper.ts';
import type { LendingRoom } from './room.ts';

export interface LoanWish {
  readonly tenantId: number;
  readonly shards: readonly number[];
  /** Null: any running crawl of the tenant. */
  readonly crawlId: string | null;
  readonly fetcherId: string;
  readonly batchSize: number;
  /** For the fetcher's requests; its hosts are kept somewhat longer. */
  readonly toldMs: number;
}

export interface LoanUrl {
  readonly url: string;
  readonly origin: string;
  readonly priority: number;
  readonly depth: number;
  readonly crawlId: number;
  /** What robots.txt was judged for; to be sent. */
  readonly userAgent: string;
}

export interface Loan {
  readonly id: string;
  readonly urls: readonly LoanUrl[];
  /** Epoch milliseconds by this machine's clock, and counted from when the loan was asked for. */
  readonly expiresAt: number;
  readonly expiresInMs: number;
}

/** For which hosts are taken until it is known what they are lent for. */
const takingMs = 10_000;
/** Times hosts are looked for where some turned out not to be lendable. */
const rounds = 3;
/** A loan is judged in one go: nothing ends it before. */
const unending = new AbortController().signal;
/** URLs of a host that robots.txt excludes at a time before the host is left to the next batch. */
const refusals = 25;
/** How long slices of ours are held back for a fetcher that waits; it asks again until then. */
const askMs = 3_000;
/** Batches of days past that are removed at a time. */
const forgotten = 20;

interface Pick extends Wanted {
  readonly host: LendableHost;
}

/** Null: nothing can be lent at present. */
export async function lend(room: LendingRoom, wish: LoanWish): Promise<Loan | null> {
  const { pool } = room;
  const crawlIds = (await crawlsToLendFrom(pool, wish.tenantId, wish.crawlId)).map(({ id }) => id);
  if (crawlIds.length === 0) return null;
  await forgetLent(pool, forgotten);
  const [loans = { settled: 0, lapsed: 0, lapsed_hosts: [] }] = await loansOfTenant(pool, wish.tenantId);
  const granted = { ...wish, ...earned(wish, loans) };
  const leaseMs = heldMs(granted.toldMs);
  const picks: Pick[] = [];
  // Whoever has let a host's lease run out leaves it to others for a while.
  const { lapsed_hosts: lapsed } = loans;
  const tried = [...lapsed];
  for (let round = 0; round < rounds && picks.length < granted.batchSize; round++) {
    const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: takingMs };
    const missing = granted.batchSize - picks.length;
    const hosts = await retrying(() =>
      lendHosts(pool, wish.shards, crawlIds, robotsFreshMs, missing, takingMs, tried),
    );
    if (hosts.length === 0) break;
    tried.push(...hosts.map(({ id }) => id));
    const found = await Promise.all(hosts.map((host) => pick(room, host, crawlIds, leaseMs, held)));
    picks.push(...found.filter((each) => each !== null));
  }
  const left = granted.batchSize - picks.length;
  if (left > 0)
    await retrying(() => askToLend(pool, wish.shards, crawlIds, robotsFreshMs, left, askMs, lapsed));
  return picks.length === 0 ? null : handOut(room, granted, picks);
}

async function handOut(room: LendingRoom, wish: LoanWish, picks: readonly Pick[]): Promise<Loan | null> {
  const id = randomUUID();
  const expiresInMs = wish.toldMs;
  const expiresAt = Date.now() + expiresInMs;
  const rows = picks.map(({ host, url }) => ({
    host_id: host.id,
    crawl_id: url.crawl_id,
    key: url.key.toString('hex'),
    url: url.url,
    token: host.token,
  }));
  const held = await handOutUrls(
    room.pool,
    id,
    wish.tenantId,
    wish.fetcherId,
    heldMs(wish.toldMs),
    JSON.stringify(rows),
  );
  const tokens = new Set(held.map(({ token }) => token));
  const urls = picks
    .filter(({ host }) => tokens.has(host.token))
    .map(({ host, url, crawl }) => ({
      ...{ url: url.url, origin: host.origin, priority: url.priority, depth: url.depth },
      ...{ crawlId: crawl.id, userAgent: crawl.userAgent },
    }));
  return urls.length === 0 ? null : { id, urls, expiresAt, expiresInMs };
}

/** The URL a host is lent for, leased; null: it is not lent, and was given back. */
async function pick(
  room: LendingRoom,
  host: LendableHost,
  crawlIds: readonly number[],
  leaseMs: number,
  held: HeldLease,
): Promise<Pick | null> {
  const { pool } = room;
  const hostId = String(host.id);
  await retrying(() => reclaimUrls(pool, hostId, host.token));
  const visit = new HostVisit(room, new HostLease(hostId, host, held), host.origin, unending);
  await visit.gather(await waitingCrawls(pool, hostId), true);
  const { lease, pacer, turns, crawls } = visit;
  const { waitMs, paceMs } = pacer;
  const giveBack = async (): Promise<null> => {
    const { failures, last_error: lastError, settings_revision: revision } = host;
    // Of the request that may be in flight.
    const noted = host.unclean ? turns.noted(host.took_ms) : [];
    if (noted.length > 0) await retrying(() => noteTurns(pool, hostId, JSON.stringify(noted), false));
    const asked = {
      ...{ askedAgoMs: host.unclean ? 0 : null, tookMs: null, ...lease.allowance.counted },
      ...{ heldMs: host.held_ms, revision },
    };
    const leaving = { waitMs, paceMs, failures, lastError, visit: asked };
    await retrying(() => releaseLease(pool, hostId, host.token, leaving));
    // Only for the end of its pace may a host be asked for on and on, with the workers held back.
    if (waitMs === 0 || host.unclean) await retrying(() => leaveToWorkers(pool, host.id));
    return null;
  };
  if (visit.known.fresh === null || closesWithin(host, leaseMs)) return giveBack();
  if ((await visit.mayBegin(() => false)) !== null) return giveBack();
  const own = crawls.filter(({ id }) => crawlIds.includes(id) && turns.waitMs(id, host.took_ms) === 0);
  const found = await firstAllowed(room, visit, own);
  return found === null ? giveBack() : { host, ...found };
}

async function firstAllowed(
  { pool }: LendingRoom,
  visit: HostVisit,
  crawls: readonly OpenCrawl[],
): Promise<Wanted | null> {
  const { hostId, taken } = visit.lease;
  for (let refused = 0; refused < refusals; refused++) {
    const [url] = await leaseWithinLimits(pool, hostId, taken.token, 1, crawls);
    const crawl = crawls.find(({ id }) => id === url?.crawl_id);
    if (url === undefined || crawl === undefined) return null;
    const wanted = { url, crawl };
    // Sitemaps are read by our own workers, who keep their bodies.
    const stopped = url.kind === 1 ? 'not-lent' : await visit.mayAsk(wanted);
    if (stopped === null && visit.mayLeave(wanted, url.url)) return wanted;
    if (stopped === null || stopped === 'not-lent' || stopped.kind !== 'never') {
      await retrying(() => returnUrls(pool, hostId, taken.token));
      return null;
    }
    const place = {
      ...{ host_id: Number(hostId), crawl_id: url.crawl_id },
      ...{ key: url.key.toString('hex'), token: taken.token },
    };
    const row = JSON.stringify([excludedRow(place, stopped.refusal)]);
    await retrying(() => commitResults(pool, row));
  }
  return null;
}

/** A request must be over before the host closes, and nobody can call back a fetcher that has its URL. */
function closesWithin({ settings: { windows }, now_ms: now }: LendableHost, leaseMs: number): boolean {
  if (windows === null) return false;
  const { until } = standingAt(windows, now);
  return until !== null && until - now < leaseMs;
}
