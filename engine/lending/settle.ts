/**
 * Reports of foreign fetchers about the URLs they were lent (F37), judged by the same rules as our own fetches. Each
 * report is one transaction: the URL's outcome, its redirect target and the return of the host's lease. So a report that
 * comes twice is found done, and a report that comes late changes nothing.
 *
 * What a report says about the host, good or bad, is not believed, and is not written to the host's row. Reported
 * trouble only keeps crawls of the fetcher's own tenant away from the host, until the trouble is over or the host has
 * answered a worker of ours well for this tenant.
 *
 * The host's pace counts from when the report arrives: by then the request has ended, whatever the clock of the fetcher
 * says.
 */
import type { FetchResult } from '../../contracts/fetching.ts';
import { fieldValue, reported, slowTurnMs } from '../../domain/lending.ts';
import { maxDelayMs } from '../../domain/pace.ts';
import { maxRetryAfterMs } from '../../domain/retry-after.ts';
import { storedStages } from '../../domain/stage.ts';
import { inTransaction, type Pool, type Queryable, retrying } from '../../storage/postgres/index.ts';
import {
  admitUrls,
  type AdmissionRow,
  commitResults,
  type ResultRow,
  countPage,
  holdConfigs,
  lockHostQueues,
  orOutdated,
  returnUrls,
} from '../../storage/frontier/index.ts';
import { advanceStages } from '../../storage/pages/index.ts';
import {
  claimLentContent,
  claimLentHost,
  isLentUrlSettled,
  lentUrls,
  type LentUrl,
  lockLentHost,
  settleLentUrl,
} from '../../storage/lending/index.ts';
import { holdTurns, waitingCrawls } from '../../storage/feeding/index.ts';
import { bringPlace } from '../../storage/seeds/index.ts';
import type { Judged } from '../admission/admission.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import { HostVisit } from '../visit/host-visit.ts';
import { HostLease } from '../visit/host-lease.ts';
import { Lessons } from '../visit/lessons.ts';
import { hasMoved, leadsFromSeed } from '../visit/moved-seed.ts';
import { leadingOutside, record, leadsNowhere } from '../visit/record.ts';
import type { LendingContext } from './context.ts';

export interface Report {
  readonly url: string;
  readonly status: number | null;
  /** SHA-256 of the body, in hex. */
  readonly contentHash: string | null;
  readonly retryAfterSeconds: number | null;
  /** The Location field of a redirect. */
  readonly location: string | null;
  readonly error: string | null;
}

/**
 * 'accepted': committed; 'repeated': a report for this URL was committed before; 'late': the lease ran out, and the URL
 * is queued again or leased by somebody else; 'unknown': the URL is not in the batch.
 */
export type Settled = 'accepted' | 'repeated' | 'late' | 'unknown';

/** Milliseconds for which a host is kept while a report is judged. */
const judgingMs = 10_000;
/** Judging a report is never aborted. */
const unending = new AbortController().signal;

/** What became of each report, in the order of the reports; null: the tenant has no such batch. */
export async function settle(
  context: LendingContext,
  tenantId: number,
  batchId: string,
  reports: readonly Report[],
): Promise<Settled[] | null> {
  const lent = new Map((await lentUrls(context.pool, batchId, tenantId)).map((each) => [each.url, each]));
  if (lent.size === 0) return null;
  const settled: Settled[] = [];
  for (const report of reports) {
    const url = lent.get(report.url);
    settled.push(url === undefined ? 'unknown' : await settleOne(context, url, report));
  }
  return settled;
}

/** What is committed together for one report. */
interface Ending {
  /** Null: the URL goes back to the queue untried. */
  readonly row: ResultRow | null;
  readonly found: readonly Candidate[];
  /** Counters of finish criteria. Only URL and depth can match: title and language are not known here. */
  readonly counters: readonly string[];
}

async function settleOne(context: LendingContext, url: LentUrl, report: Report): Promise<Settled> {
  const { pool } = context;
  const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: judgingMs };
  const [taken] = await claimLentHost(pool, url.host_id, url.token, judgingMs);
  const tooLate = async (): Promise<Settled> =>
    (await isLentUrlSettled(pool, url.token, url.host_id)).length > 0 ? 'repeated' : 'late';
  if (taken === undefined) return tooLate();
  // The report ends the request, so nothing is in flight any more: the lease counts as returned.
  const lease = new HostLease(String(url.host_id), { ...taken, unclean: false }, held);
  const visit = new HostVisit(context, lease, new URL(url.url).origin, unending);
  await visit.gather(await waitingCrawls(pool, url.host_id));
  const ending = await judge(context, url, report, visit);
  // Before the host is free: otherwise a slice, or a crash in between, would let a crawl of the tenant ask too soon.
  for (const { crawlId, ms, times } of visit.turns.held)
    await retrying(() => holdTurns(pool, url.host_id, crawlId, ms, times));
  const { admission } = context;
  let judged = await admission.judge(ending.found);
  for (;;) {
    const done = await orOutdated(store(pool, url, report, ending, visit, judged));
    if (done === 'late') return tooLate();
    if (done === 'stored') break;
    judged = await (done === 'outdated'
      ? admission.anew(judged)
      : admission.judge(ending.found.map(({ moved: _, ...stays }) => stays)));
  }
  await admission.remember(judged);
  await context.permits.giveBack(url.host_id, url.origin);
  await context.wake([url.host_id]);
  return 'accepted';
}

/** Nothing of a report was stored: its lease is over ('late'), or the seeds have brought all places that they may. */
class Undone extends Error {
  override readonly name = 'Undone';
  readonly why: 'late' | 'places-spent';

  constructor(why: Undone['why']) {
    super(why);
    this.why = why;
  }
}

/** Stores a report in one transaction, or nothing of it. */
const store = (
  pool: Pool,
  url: LentUrl,
  report: Report,
  ending: Ending,
  visit: HostVisit,
  { candidates, admissions, judged, outside }: Judged,
): Promise<'stored' | Undone['why']> =>
  inTransaction(pool, async (db) => {
    if (judged.length > 0) await holdConfigs(db, JSON.stringify(judged));
    for (const { link, moved } of candidates)
      if (moved && !(await bringPlace(db, url.crawl_id, url.url, link))) throw new Undone('places-spent');
    const row = ending.row && leadingOutside(ending.row, outside, leadsFromSeed(url));
    await commit(db, url, report, { ...ending, row }, admissions, visit);
    return 'stored' as const;
  }).catch((error: unknown) => {
    if (error instanceof Undone) return error.why;
    throw error;
  });

async function judge(
  context: LendingContext,
  url: LentUrl,
  report: Report,
  visit: HostVisit,
): Promise<Ending> {
  const { turns, lease } = visit;
  const said = reported(report.status, report.error);
  // No request was sent: everything but the lease is as it was when the host was lent.
  if (said.kind === 'not-tried') return { row: null, found: [], counters: [] };
  const crawl = await context.books.crawls.open(url.crawl_id);
  const place = { host_id: url.host_id, crawl_id: url.crawl_id, key: url.key, token: url.token };
  const { maxRedirects } = crawl.config;
  const { row, outcome, target, targetInMs } = record(
    asExchange(said, report),
    url,
    place,
    new Lessons(lease.taken).of(crawl.tenantId, false),
    // A report has no media type: the fetcher keeps the body, and chooses which bodies it takes.
    { version: 0, takes: () => true, maxRedirects },
  );
  const moved = target !== null && (await retrying(() => hasMoved(context.books, crawl, url, target)));
  if (outcome.host.trouble !== null) turns.hold(crawl, Math.min(outcome.host.trouble.waitMs, maxDelayMs));
  const fetched = outcome.url.state === 'done' && outcome.url.reason === 'fetched';
  const redirect = { in: 'redirect', url: { ...url, kind: 'page' }, waitMs: targetInMs } as const;
  return {
    row: fetched ? { ...row, ...elsewhere(report.contentHash) } : row,
    found:
      target === null
        ? []
        : [{ ...candidate(crawl, target, redirect), ...(moved && ({ moved: true } as const)) }],
    counters: fetched ? crawl.counters({ url: url.url, title: null, language: null, depth: url.depth }) : [],
  };
}

/**
 * The foreign fetcher keeps the body and reads it. Its hash tells duplicates among the reports of the crawl and nothing
 * else: whoever knows the hash of a body need not have the body, so it must never stand where bodies are looked up.
 */
const elsewhere = (reported: string | null): Pick<ResultRow, 'reason' | 'stage' | 'reported_hash'> => ({
  reason: 'fetched-elsewhere',
  stage: reported === null ? storedStages.none : storedStages.dedup,
  reported_hash: reported,
});

/** The report as a result of our own fetcher. */
function asExchange(
  said: Exclude<ReturnType<typeof reported>, { readonly kind: 'not-tried' }>,
  { location, retryAfterSeconds }: Report,
): FetchResult {
  const endAt = performance.now();
  if (said.kind === 'fault') return { ...said, endAt };
  const pause = retryAfterSeconds === null ? null : Math.min(retryAfterSeconds, maxRetryAfterMs / 1_000);
  return {
    ...said,
    headers: {
      ...(location !== null && { location: fieldValue(location) }),
      // Nobody has said where to; the page itself was not reported either.
      ...(location === null && said.status >= 300 && said.status < 400 && { location: leadsNowhere }),
      ...(pause !== null && { 'retry-after': String(Math.ceil(pause)) }),
    },
    body: new Uint8Array(),
    wireBytes: 0,
    headAt: endAt,
    endAt,
    remoteAddress: null,
  };
}

/** @throws Undone */
async function commit(
  db: Queryable,
  url: LentUrl,
  report: Report,
  ending: Ending,
  admissions: readonly AdmissionRow[],
  visit: HostVisit,
): Promise<void> {
  const { row } = ending;
  const { pacer, turns } = visit;
  if ((await lockLentHost(db, url.host_id, url.token)).length === 0) throw new Undone('late');
  const hostId = String(url.host_id);
  await lockHostQueues(db, JSON.stringify([url, ...admissions].map(({ host_id, crawl_id }) => ({ host_id, crawl_id })))); // prettier-ignore
  if (admissions.length > 0) await admitUrls(db, admissions);
  if (row === null) await returnUrls(db, hostId, url.token);
  else await commitResults(db, JSON.stringify([row]));
  const hash = row?.stage === storedStages.dedup ? report.contentHash : null;
  const isDuplicate = hash !== null && (await tellDuplicate(db, url, hash));
  if (ending.counters.length > 0 && !isDuplicate) await countPage(db, url.crawl_id, ending.counters);
  // Last of all: the instants of a transaction count from its begin, after the report had arrived.
  if (row !== null) turns.asked(url.crawl_id, pacer.askedElsewhere());
  const own = row === null ? [] : turns.noted(pacer.tookMs).filter(({ crawl_id: id }) => id === url.crawl_id);
  // Those that are held back were noted already.
  await visit.leave({ turns: own, held: [] }, db);
  await settleLentUrl(db, url.token, url.host_id, slowTurnMs(pacer.delayMs), row !== null);
}

/** Was this hash reported of another page of the crawl before? Marks the URL as its alias then. */
async function tellDuplicate(db: Queryable, url: LentUrl, contentHash: string): Promise<boolean> {
  const [owner] = await claimLentContent(db, url.crawl_id, contentHash, url.host_id, url.key);
  const other =
    owner === undefined || (owner.host_id === url.host_id && owner.key === url.key) ? null : owner;
  const stage = {
    host_id: url.host_id,
    crawl_id: url.crawl_id,
    key: url.key,
    from: storedStages.dedup,
    to: storedStages.none,
    alias_host: other?.host_id ?? null,
    alias_key: other?.key ?? null,
  };
  await advanceStages(db, JSON.stringify([stage]));
  return other !== null;
}
