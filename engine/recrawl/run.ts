/**
 * One run of a standing crawl: notes what its visits have found, plans anew now and then, and queues what is due. All
 * results are in Postgres. A run that is cut off, repeated or started twice does no harm: each run locks the row of the
 * standing crawl, and the budget counts the URLs that were queued, not the runs.
 *
 * Visits are noted after they were committed, by a walk along the pages feed. So neither fetching nor reading pays
 * anything for it, in standing crawls or in others.
 */
import { wholeConfig } from '../../contracts/crawl.ts';
import { isOver } from '../../domain/crawl-life.ts';
import type { KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import { changesPlace } from '../../storage/changes/index.ts';
import { crawlStands, lockCrawls } from '../../storage/crawls/index.ts';
import { pagesHorizon, rankCopies } from '../../storage/pages/index.ts';
import { inTransaction, type Pool, type Queryable } from '../../storage/postgres/index.ts';
import {
  allow,
  beginStanding,
  findStanding,
  holdStanding,
  noteProgress,
  noteRanked,
  noteVisits,
  queueDue,
  visitsAfter,
  countDates,
  type StandingCrawl,
} from '../../storage/recrawl/index.ts';
import { done, type Job } from '../jobs/job.ts';
import { dateSome } from './dating.ts';
import { planAnew } from './planning.ts';
import { noteOf, rulesOf, tellsItsRate } from './visits.ts';

/** Visits noted, pages dated anew, and pages queued, in one transaction. */
const batch = 500;
/**
 * Seconds between two plans, and between two samples of freshness; sooner if the crawl, or the number of pages whose
 * rates are known, has grown by a quarter. The first rates count once they are those of so many of the pages.
 */
const planSeconds = 3_600;
const growth = 1.25;
const firstRates = 1 / 200;
/** Seconds between two rankings of its copies; sooner if the crawl has grown by a quarter. */
const rankSeconds = 86_400;

export interface RecrawlRun {
  /** Visits that were noted, and pages that were queued again. */
  readonly noted: number;
  readonly queued: number;
  /** The crawl has ended, or does not keep fresh any more. */
  readonly over: boolean;
}

/**
 * A run is one stint, however long it takes: it does what is due by the clock and by the budget, so that a run more or less
 * changes nothing else.
 * @param wake tells schedulers of queued pages
 */
export const recrawlJobs = (pool: Pool, wake: () => Promise<void>): Job => ({
  work: async ({ id, signal }) => {
    const run = await runRecrawl(pool, id, () => !signal.aborted);
    if (run.queued > 0) await wake();
    const words = `Visits noted ${String(run.noted)}, pages queued again ${String(run.queued)}.`;
    return done(run.over ? 'It does not keep its pages fresh any more.' : words, run);
  },
});

/** @param goesOn asked between two batches. Answers `over` if the crawl does not keep fresh any more */
export async function runRecrawl(pool: Pool, crawlId: string, goesOn: () => boolean): Promise<RecrawlRun> {
  await beginStanding(pool, crawlId);
  const [crawl] = await findStanding(pool, crawlId);
  const keepFresh = crawl === undefined ? null : wholeConfig(crawl.config).keepFresh;
  if (crawl === undefined || keepFresh === null || isOver(crawl.state))
    return { noted: 0, queued: 0, over: true };
  let noted = 0;
  while (goesOn()) {
    const visits = await held(pool, crawlId, (db, standing) => noteBatch(db, crawlId, standing, keepFresh));
    noted += visits;
    if (visits < batch) break;
  }
  while (goesOn()) {
    const dated = await held(pool, crawlId, (db, standing) =>
      dateSome(db, crawlId, standing, keepFresh, batch),
    );
    if (dated < batch) break;
  }
  await held(pool, crawlId, async (db, standing) => {
    if (isPlanOld(standing)) await planAnew(db, crawlId, standing, keepFresh);
    return 0;
  });
  await rankOld(pool, crawlId);
  let queued = 0;
  while (goesOn()) {
    const pages = await held(pool, crawlId, (db) => queueBatch(db, crawlId, keepFresh));
    queued += pages;
    if (pages < batch) break;
  }
  return { noted, queued, over: false };
}

/** Answers 0 if somebody else holds the crawl. */
const held = (
  pool: Pool,
  crawlId: string,
  work: (db: Queryable, standing: StandingCrawl) => Promise<number>,
): Promise<number> =>
  inTransaction(pool, async (db) => {
    // Before the row of the standing crawl: whoever settles the crawl holds the crawl's row and nothing of this.
    await lockCrawls(db, [Number(crawlId)]);
    const [standing] = await holdStanding(db, crawlId);
    return standing === undefined ? 0 : work(db, standing);
  });

/**
 * Ranks copies if it is time. The walk goes over all pages, some minutes in a large crawl, and the crawl is paused and
 * edited meanwhile: its own row is not held.
 */
const rankOld = (pool: Pool, crawlId: string): Promise<void> =>
  inTransaction(pool, async (db) => {
    const [standing] = await holdStanding(db, crawlId);
    if (standing === undefined || !isRankingOld(standing)) return;
    await rankCopies(db, Number(crawlId));
    await noteRanked(db, crawlId);
  });

const isPlanOld = (standing: StandingCrawl): boolean => {
  const { planned_ago: ago, planned_pages: planned, pages } = standing;
  if (pages === 0) return false;
  return ago === null || ago >= planSeconds || pages >= planned * growth || hasLearnt(standing);
};

/** A plan holds while what is known is about what it was made by: the first plan is made by guesses. */
const hasLearnt = ({ planned_rates: known, rates_learnt: learnt, pages }: StandingCrawl): boolean =>
  learnt > 0 && learnt >= Math.max(known * (growth - 1), pages * firstRates);

/** A page may be chosen by redirects and links that came later than its copies, so the choice is made anew now and then. */
const isRankingOld = ({ ranked_ago: ago, ranked_pages: ranked, pages }: StandingCrawl): boolean =>
  pages > 0 && (ago === null || ago >= rankSeconds || (pages >= ranked * growth && pages > ranked));

async function noteBatch(
  db: Queryable,
  crawlId: string,
  standing: StandingCrawl,
  keepFresh: KeepFresh,
): Promise<number> {
  const { noted_micros: micros, noted_host: hostId, noted_key: key } = standing;
  const final = (await pagesHorizon(db, crawlId, micros))[0]?.micros ?? 0;
  // A page is not fetched again before its answer was compared with the one before it: that would be a version lost.
  const compared = wholeConfig(standing.config).changes ? await changesPlace(db, crawlId) : null;
  const horizon = compared === null ? final : Math.min(final, compared[0]?.micros ?? 0);
  const visits = await visitsAfter(db, {
    crawlId,
    micros,
    hostId,
    key,
    horizonMicros: horizon,
    limit: batch,
  });
  const last = visits.at(-1);
  if (last === undefined) return 0;
  const rules = rulesOf(standing, keepFresh);
  const { notes, dates } = noteOf(visits, keepFresh, rules);
  const [stored] = notes.length === 0 ? [] : await noteVisits(db, crawlId, JSON.stringify(notes));
  if (dates.length > 0) await countDates(db, crawlId, JSON.stringify(dates));
  await noteProgress(db, {
    crawlId,
    micros: last.micros,
    hostId: last.host_id,
    key: Buffer.from(last.key, 'hex'),
    added: stored?.added ?? 0,
    learnt: notes.filter(tellsItsRate).length,
  });
  return visits.length;
}

/** Queues what the budget allows of what is due. The crawl's row is held, so that it cannot end meanwhile. */
async function queueBatch(db: Queryable, crawlId: string, { requestsPerDay }: KeepFresh): Promise<number> {
  const [now] = await crawlStands(db, Number(crawlId));
  if (now?.state !== 'running') return 0;
  const [budget] = await allow(db, crawlId, requestsPerDay);
  const limit = Math.min(batch, Math.floor(budget?.allowance ?? 0));
  return limit < 1 ? 0 : (await queueDue(db, crawlId, limit)).length;
}
