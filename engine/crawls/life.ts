/** The life of a crawl in Postgres (domain/crawl-life.ts): its state is changed, it drains, it settles. */
import { type CrawlConfig, wholeConfig } from '../../contracts/crawl.ts';
import {
  endingInWords,
  endState,
  isOver,
  keptBackInWords,
  withLeft,
  type CrawlEnding,
  type NumberedStands,
} from '../../domain/crawl-life.ts';
import { type CrawlProgress, judgeFinish, waitsForNeeds } from '../../domain/finish.ts';
import {
  crawlOutlook,
  type CrawlOutlook,
  crawlStands,
  loadCrawls,
  lockCrawls,
  setCrawlState,
} from '../../storage/crawls/index.ts';
import { excludeAllButNeeded, excludeQueued } from '../../storage/frontier/index.ts';
import { closeTimes } from '../../storage/times/index.ts';
import { rankCopies } from '../../storage/pages/index.ts';
import {
  inTransaction,
  planByKey,
  type Pool,
  type Queryable,
  retrying,
} from '../../storage/postgres/index.ts';
import { sleep } from '../visit/sleep.ts';

/** Hosts whose accounts are closed in one statement. */
const batch = 1_000;
/** URLs that are excluded in one transaction, which holds the row of the crawl: about a second. */
const drainBatch = 10_000;
const drainLookMs = 250;

/** @throws Error if there is no such crawl */
export async function crawlOutlookOf(db: Queryable, crawlId: string): Promise<CrawlOutlook> {
  const [outlook] = await crawlOutlook(db, Number(crawlId));
  if (outlook === undefined) throw new Error(`there is no crawl ${crawlId}`);
  return outlook;
}

/** @throws Error if there is no such crawl */
export async function crawlStandsAt(db: Queryable, crawlId: string): Promise<NumberedStands> {
  const [row] = await crawlStands(db, Number(crawlId));
  if (row === undefined) throw new Error(`there is no crawl ${crawlId}`);
  return row;
}

/**
 * Changes the state of a crawl that is not over, if it has not changed since `next.revision`: Temporal gives a change
 * that is not answered to another process, and by the time the first one wakes, an admin may have asked for something
 * else. A crawl begins to drain only if it was cancelled or a limit ends it by its current settings. Returns where the
 * crawl stands now.
 */
export async function changeCrawlState(
  pool: Pool,
  crawlId: string,
  next: NumberedStands,
): Promise<NumberedStands> {
  return inTransaction(pool, async (db) => {
    const id = Number(crawlId);
    await lockCrawls(db, [id]);
    const now = await crawlStandsAt(db, crawlId);
    if (isOver(now.state) || now.revision !== next.revision) return now;
    const begins = next.state === 'draining' && now.state !== 'draining';
    if (begins && next.cause !== 'cancelled' && !(await isAtLimit(db, crawlId))) return now;
    await setCrawlState(db, id, next.state, next.cause, next.reason);
    return crawlStandsAt(db, crawlId);
  });
}

/**
 * Counts what the crawl waited for at all hosts until it stopped running. Once it has gone on, that can no longer be told.
 * @throws if `signal` is aborted before
 */
export async function closeAccounts(pool: Pool, crawlId: string, signal?: AbortSignal): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    signal?.throwIfAborted();
    const from: number = after;
    const [last] = await retrying(() => closeTimes(pool, crawlId, from, batch));
    after = last?.host_id ?? null;
  }
}

/**
 * Excludes what is queued until nothing is queued, leased or unread. Returns early if the crawl does not drain any more: a
 * process that was frozen may wake when the crawl was opened again, and paused.
 * @throws Error if `signal` is aborted before
 */
export async function drainCrawl(
  pool: Pool,
  crawlId: string,
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const excluded = await retrying(() => excludeSome(pool, crawlId, reason));
    if (excluded === null) return;
    if (excluded > 0) continue;
    const { queued, leased, pending } = await crawlOutlookOf(pool, crawlId);
    if (queued + leased + pending === 0) return;
    await sleep(drainLookMs, signal);
  }
  throw new Error('draining was interrupted');
}

/** Excludes a batch of what is queued; null: the crawl does not drain. */
const excludeSome = (pool: Pool, crawlId: string, reason: string): Promise<number | null> =>
  inTransaction(pool, async (db) => {
    const id = Number(crawlId);
    await lockCrawls(db, [id]);
    const { state } = await crawlStandsAt(db, crawlId);
    if (state !== 'draining') return null;
    await planByKey(db);
    return (await excludeQueued(db, id, reason, drainBatch)).length;
  });

/**
 * Excludes a batch of what has no turn any more in a running crawl that has all its pages by its current settings, and
 * goes on for what they need; answers how many. If the limit is raised, an edit queues them again.
 */
export const excludeSurplus = (pool: Pool, crawlId: string): Promise<number> =>
  inTransaction(pool, async (db) => {
    const id = Number(crawlId);
    await lockCrawls(db, [id]);
    const { progress, config } = await progressOf(db, crawlId);
    if (progress.state !== 'running' || !waitsForNeeds(progress, config)) return 0;
    await planByKey(db);
    return (await excludeAllButNeeded(db, id, endingInWords('limit:max-pages'), drainBatch)).length;
  });

/**
 * Ends a crawl, unless it has got work meanwhile, or its state has changed since `revision`. A crawl that fetched no URL
 * at all has failed; a crawl that fetched any has finished, and says so if a quarantine keeps parts back. Returns where the
 * crawl stands now.
 */
export async function settleCrawl(
  pool: Pool,
  crawlId: string,
  ending: CrawlEnding,
  reason: string | null,
  revision: number,
): Promise<NumberedStands> {
  const stands = await inTransaction(pool, async (db): Promise<NumberedStands> => {
    const id = Number(crawlId);
    // Unparking a host reopens crawls under the same lock: either it sees the end, or this code sees the work.
    await lockCrawls(db, [id]);
    const now = await crawlStandsAt(db, crawlId);
    // Somebody else may have ended the crawl before this workflow came here.
    if (isOver(now.state)) return now;
    const outlook = await crawlOutlookOf(db, crawlId);
    const moved = now.revision !== revision;
    if (moved || goesOn(ending, outlook) || (ending === 'complete' && (await isStanding(db, id))))
      return { state: 'running', cause: null, reason: null, revision: now.revision };
    await rankCopies(db, id);
    if (endState(ending) === 'finished' && outlook.done === 0)
      await setCrawlState(
        db,
        id,
        'failed',
        'nothing-fetched',
        withLeft(endingInWords('nothing-fetched'), outlook.queued),
      );
    else if (ending === 'complete' && outlook.kept_back > 0)
      await setCrawlState(
        db,
        id,
        'finished',
        'kept-back',
        withLeft(keptBackInWords(outlook.kept_back), outlook.queued),
      );
    else if (ending === 'complete')
      await setCrawlState(db, id, 'finished', ending, withLeft(endingInWords(ending), outlook.queued));
    else await setCrawlState(db, id, endState(ending), ending, reason);
    return crawlStandsAt(db, crawlId);
  });
  if (isOver(stands.state)) await closeAccounts(pool, crawlId);
  return stands;
}

/** A standing crawl is never complete: its pages become due again. The caller must lock the crawl's row. */
async function isStanding(db: Queryable, id: number): Promise<boolean> {
  const [crawl] = await loadCrawls(db, [id]);
  return crawl !== undefined && wholeConfig(crawl.config).keepFresh !== null;
}

/** Does an ending crawl go on: has it got work meanwhile, or was its limit raised before it began to drain? */
function goesOn(ending: CrawlEnding, outlook: CrawlOutlook): boolean {
  if (endState(ending) !== 'finished') return false;
  if (outlook.queued - outlook.parked + outlook.leased + outlook.pending > 0) return true;
  return ending === 'complete' ? outlook.unseeded || outlook.edited : outlook.state === 'running';
}

/**
 * Does a limit end the crawl by its current settings? The watch may use settings that are a second old, but an edit that
 * was accepted before the crawl began to drain must count. The caller must lock the crawl's row.
 */
async function isAtLimit(db: Queryable, crawlId: string): Promise<boolean> {
  const { progress, config } = await progressOf(db, crawlId);
  const { verdict } = judgeFinish(progress, config);
  return verdict !== 'going' && verdict !== 'complete';
}

/** With the current settings, however old those are that books hold. The caller must lock the crawl's row. */
async function progressOf(
  db: Queryable,
  crawlId: string,
): Promise<{ readonly progress: CrawlOutlook & CrawlProgress; readonly config: CrawlConfig }> {
  const outlook = await crawlOutlookOf(db, crawlId);
  const [crawl] = await loadCrawls(db, [Number(crawlId)]);
  if (crawl === undefined) throw new Error(`there is no crawl ${crawlId}`);
  const progress = { ...outlook, runningMs: outlook.running_ms ?? 0 };
  return { progress, config: wholeConfig(crawl.config) };
}
