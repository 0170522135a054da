/**
 * Lends URLs to a foreign fetcher (F37), each at a different host. The fetcher holds the host's lease as a slice of ours
 * would, so that nobody else sends anything there meanwhile. A host is lent for one request, if it may be visited now,
 * its robots.txt is known, and no window, quota, opt-out, cap or operator closes it.
 *
 * A lease is first taken for `takingMs`. The statement that records the loan extends the lease to the whole loan, so a
 * crash in between blocks the host only for `takingMs`.
 */
import { storedKinds } from '../../domain/url-kind.ts';
import { randomUUID } from 'node:crypto';
import { earned, heldMs, longestLoanMs, mostLoans } from '../../domain/lending.ts';
import { robotsFreshMs } from '../../domain/robots-freshness.ts';
import { openingAt } from '../../domain/windows.ts';
import { inTransaction, type Queryable, retrying } from '../../storage/postgres/index.ts';
import {
  askToLend,
  crawlsToLendFrom,
  forgetLent,
  handOutUrls,
  leaveToWorkers,
  lendHosts,
  type EndedLoans,
  type LendableHost,
  loansOfTenant,
  lockLoansOfTenant,
} from '../../storage/lending/index.ts';
import { commitResults, reclaimUrls, returnUrls } from '../../storage/frontier/index.ts';
import { waitingCrawls } from '../../storage/feeding/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { leaseWithinLimits } from '../visit/lease-within-limits.ts';
import { excludedRow, lastRow } from '../visit/record.ts';
import type { HeldLease } from '../../domain/lease.ts';
import type { Wanted } from '../visit/gates.ts';
import { HostVisit } from '../visit/host-visit.ts';
import { HostLease } from '../visit/host-lease.ts';
import type { LendingContext } from './context.ts';

export interface WantedLoan {
  readonly tenantId: number;
  readonly shards: readonly number[];
  /** Null: any running crawl of the tenant. */
  readonly crawlId: string | null;
  readonly fetcherId: string;
  readonly batchSize: number;
  /** Milliseconds that the fetcher wants for its requests; it gets `longestLoanMs` at most. */
  readonly toldMs: number;
}

export interface LoanUrl {
  readonly url: string;
  readonly origin: string;
  readonly priority: number;
  readonly depth: number;
  readonly crawlId: number;
  /** The fetcher must send this User-Agent: robots.txt was judged for it. */
  readonly userAgent: string;
}

export interface Loan {
  readonly id: string;
  readonly urls: readonly LoanUrl[];
  /** End of the loan: in epoch milliseconds by this machine's clock, and in milliseconds from now. */
  readonly expiresAt: number;
  readonly expiresInMs: number;
}

/** Milliseconds for which a host is taken until its URL is chosen. */
const takingMs = 10_000;
/** Most times that hosts are looked for, if some turn out not to be lendable. */
const rounds = 3;
/** Choosing a loan's URL is never aborted. */
const unending = new AbortController().signal;
/** After this many URLs of a host were excluded in a row, the host is left to the next batch. */
const refusals = 25;
/** Most old batches that are removed at a time. */
const forgotten = 20;

interface Pick extends Wanted {
  readonly host: LendableHost;
  /** Gives the URL and its host back. */
  readonly giveBack: () => Promise<unknown>;
}

async function loansNow(db: Queryable, tenantId: number): Promise<EndedLoans> {
  const [loans = { settled: 0, lapsed: 0, open: 0, lapsed_hosts: [] }] = await loansOfTenant(db, tenantId);
  return loans;
}

/** Null: nothing can be lent at present. */
export async function lend(context: LendingContext, wanted: WantedLoan): Promise<Loan | null> {
  const { pool } = context;
  const crawlIds = (await crawlsToLendFrom(pool, wanted.tenantId, wanted.crawlId)).map(({ id }) => id);
  if (crawlIds.length === 0) return null;
  await forgetLent(pool, forgotten);
  const loans = await loansNow(pool, wanted.tenantId);
  const asked = { batchSize: wanted.batchSize, toldMs: Math.min(wanted.toldMs, longestLoanMs) };
  const { batchSize: most, toldMs } = earned(asked, loans);
  const batchSize = Math.min(most, mostLoans(loans) - loans.open);
  const picks: Pick[] = [];
  // A tenant that let a host's lease run out does not get this host again for a while.
  const { lapsed_hosts: lapsed } = loans;
  const tried = [...lapsed];
  const refused = [...lapsed];
  for (let round = 0; round < rounds && picks.length < batchSize; round++) {
    const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: takingMs };
    const missing = batchSize - picks.length;
    const hosts = await retrying(() =>
      lendHosts(pool, wanted.shards, crawlIds, robotsFreshMs(0), missing, takingMs, tried),
    );
    if (hosts.length === 0) break;
    tried.push(...hosts.map(({ id }) => id));
    const found = await Promise.all(hosts.map((host) => pick(context, host, crawlIds, toldMs, held)));
    picks.push(...found.filter((each) => typeof each !== 'string'));
    refused.push(...hosts.filter((_, at) => found[at] === 'refused').map(({ id }) => id));
  }
  const left = batchSize - picks.length;
  if (left > 0)
    await retrying(() => askToLend(pool, wanted.shards, crawlIds, robotsFreshMs(0), left, refused));
  return picks.length === 0 ? null : handOut(context, wanted, picks, toldMs);
}

/** @param expiresInMs milliseconds that the fetcher is given for its requests; its hosts are kept longer (`heldMs`) */
async function handOut(
  context: LendingContext,
  wanted: WantedLoan,
  picks: readonly Pick[],
  expiresInMs: number,
): Promise<Loan | null> {
  const id = randomUUID();
  const expiresAt = Date.now() + expiresInMs;
  const rows = picks.map(({ host, url }) => ({
    host_id: host.id,
    crawl_id: url.crawl_id,
    key: url.key,
    url: url.url,
    token: host.token,
  }));
  const { tenantId, fetcherId } = wanted;
  const { held, left } = await inTransaction(context.pool, async (db) => {
    await lockLoansOfTenant(db, tenantId);
    // Counted again: other requests of the tenant may have borrowed since the hosts were looked for.
    const loans = await loansNow(db, tenantId);
    const left = Math.max(0, mostLoans(loans) - loans.open);
    if (left === 0) return { held: [], left };
    const lent = JSON.stringify(rows.slice(0, left));
    return { held: await handOutUrls(db, id, tenantId, fetcherId, heldMs(expiresInMs), lent), left };
  });
  await Promise.all(picks.slice(left).map(({ giveBack }) => giveBack()));
  const tokens = new Set(held.map(({ token }) => token));
  const urls = picks
    .filter(({ host }) => tokens.has(host.token))
    .map(({ host, url, crawl }) => ({
      url: url.url,
      origin: host.origin,
      priority: url.priority,
      depth: url.depth,
      crawlId: crawl.id,
      userAgent: crawl.userAgent,
    }));
  return urls.length === 0 ? null : { id, urls, expiresAt, expiresInMs };
}

/**
 * The URL that a host is lent for, leased. Otherwise the host cannot be lent, and its lease was returned: its pace is not
 * over ('later'), or the workers are next there ('refused').
 */
async function pick(
  context: LendingContext,
  host: LendableHost,
  crawlIds: readonly number[],
  toldMs: number,
  held: HeldLease,
): Promise<Pick | 'later' | 'refused'> {
  const { pool } = context;
  const hostId = String(host.id);
  await retrying(() => reclaimUrls(pool, hostId, host.token));
  const visit = new HostVisit(context, new HostLease(hostId, host, held), host.origin, unending);
  await visit.gather(await waitingCrawls(pool, hostId), true);
  const { turns, crawls, waitMs } = visit;
  const giveBack = async (): Promise<'later' | 'refused'> => {
    // A request may still be in flight after a lease that was not returned: it counts as a turn.
    await visit.leave(host.unclean ? {} : { turns: [] });
    // The request to lend a host, which holds the workers back, may last only while the host waits for its pace.
    if (waitMs > 0 && !host.unclean) return 'later';
    await retrying(() => leaveToWorkers(pool, host.id));
    return 'refused';
  };
  if (visit.known.fresh === null || closesWithin(host, heldMs(toldMs))) return giveBack();
  if ((await visit.mayBegin(() => false)) !== null) return giveBack();
  const own = crawls.filter(({ id }) => crawlIds.includes(id) && turns.waitMs(id, host.took_ms) === 0);
  const found = await firstAllowed(context, visit, own);
  if (found === null) return giveBack();
  const returned = async (): Promise<'later' | 'refused'> => {
    await retrying(() => returnUrls(pool, hostId, host.token));
    return giveBack();
  };
  if (!(await context.permits.take(host.id, host.origin, heldMs(toldMs)))) return returned();
  const unlent = async (): Promise<void> => {
    await returned();
    await context.permits.giveBack(host.id, host.origin);
  };
  return { host, ...found, giveBack: unlent };
}

async function firstAllowed(
  { pool }: LendingContext,
  visit: HostVisit,
  crawls: readonly OpenCrawl[],
): Promise<Wanted | null> {
  const { hostId, taken } = visit.lease;
  for (let refused = 0; refused < refusals; refused++) {
    const [url] = await leaseWithinLimits(pool, hostId, taken.token, 1, crawls);
    const crawl = crawls.find(({ id }) => id === url?.crawl_id);
    if (url === undefined || crawl === undefined) return null;
    const wanted = { url, crawl };
    // Sitemaps are not lent: our own workers read them, since they store the bodies.
    const stopped = url.kind !== storedKinds.page ? 'not-lent' : await visit.mayAsk(wanted);
    if (stopped === null && visit.mayLeave(wanted, url.url)) return wanted;
    if (stopped === null || stopped === 'not-lent' || (stopped.kind !== 'never' && stopped.kind !== 'last')) {
      await retrying(() => returnUrls(pool, hostId, taken.token));
      return null;
    }
    const place = {
      host_id: Number(hostId),
      crawl_id: url.crawl_id,
      key: url.key,
      token: taken.token,
    };
    const row = stopped.kind === 'last' ? lastRow(place) : excludedRow(place, stopped.refusal);
    await retrying(() => commitResults(pool, JSON.stringify([row])));
  }
  return null;
}

/** Will the host close during the loan? A request must be over by then, and a loan cannot be called back. */
function closesWithin({ settings: { windows }, now_ms: now }: LendableHost, leaseMs: number): boolean {
  if (windows === null) return false;
  const { until } = openingAt(windows, now);
  return until !== null && until - now < leaseMs;
}
