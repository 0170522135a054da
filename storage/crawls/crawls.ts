/** Crawls as their owners list them and look at them. */
import { crawlStates, wholeConfig, type CrawlState } from '../../contracts/crawl.ts';
import { isOver, openCrawlStates } from '../../domain/crawl-life.ts';
import { stagesOf } from '../../domain/pressure.ts';
import { withHiddenHeaders } from '../../domain/request-headers.ts';
import type { CrawlRate } from '../../contracts/http/counts.ts';
import type { CrawlSummary, CrawlView } from '../../contracts/http/crawls.ts';
import { countCrawl, listMovedSeeds, listRejectedSeeds, recentRate, type RecentRate } from './counts.sql.ts';
import type { PageRules } from '../../contracts/page-rules.ts';
import { listCrawls, loadCrawls } from './rows.sql.ts';
import { measureLoads } from '../instance/index.ts';
import { one, type Queryable } from '../postgres/index.ts';

type CountedCrawl = Awaited<ReturnType<typeof listCrawls>>[number];

/** Seconds over which the rate is measured. */
const rateWindow = 10;
/** Rejected seeds, and moved ones, that a look at a crawl shows. */
const seedsShown = 100;

/** Null: there is no such crawl. */
export async function findCrawl(db: Queryable, crawlId: string): Promise<CrawlSummary | null> {
  const row = await findRow(db, crawlId);
  return row === null ? null : summaryOf(row);
}

/** The rules by which the pages of a crawl are read; null: it has none, or there is no such crawl. */
export async function findRules(db: Queryable, crawlId: string): Promise<PageRules | null> {
  const [row] = await loadCrawls(db, [Number(crawlId)]);
  return row?.config.rules ?? null;
}

/** Newest first, in the states given. `before`: only crawls older than this id; `tenantId` null: of all tenants. */
export async function crawlsBefore(
  db: Queryable,
  before: string | null,
  limit: number,
  tenantId: number | null = null,
  states: readonly CrawlState[] = crawlStates,
): Promise<readonly CrawlSummary[]> {
  return (await listCrawls(db, { before, states, limit, tenantId })).map(summaryOf);
}

/** Crawls that are not over, newest first: all, or those in the states given. `tenantId` null: of all tenants. */
export async function openCrawls(
  db: Queryable,
  states: readonly CrawlState[] = openCrawlStates,
  tenantId: number | null = null,
): Promise<readonly CrawlSummary[]> {
  return (await listCrawls(db, { states, limit: 1_000, tenantId })).map(summaryOf);
}

/** A crawl with all its counts; null: there is no such crawl. */
export async function viewCrawl(db: Queryable, crawlId: string): Promise<CrawlView | null> {
  const row = await findRow(db, crawlId);
  if (row === null) return null;
  const counts = await one(countCrawl(db, crawlId, rateWindow));
  const { accepted_seeds: accepted, rejected_seeds: rejected, waiting_seeds: waiting } = counts;
  const { moved_seeds: moved } = counts;
  return {
    ...summaryOf(row),
    config: withHiddenHeaders(wholeConfig(row.config)) as CrawlView['config'],
    configVersion: row.configVersion,
    seeds: {
      accepted,
      rejected,
      waiting,
      moved,
      firstRejected: rejected > 0 ? await listRejectedSeeds(db, crawlId, seedsShown) : [],
      firstMoved: moved > 0 ? await listMovedSeeds(db, crawlId, seedsShown) : [],
    },
    hosts: {
      total: counts.hosts,
      waiting: counts.waiting_hosts,
      working: counts.working_hosts,
      parked: counts.parked_hosts,
    },
    excluded: Object.fromEntries((counts.excluded ?? []).map(({ reason, count }) => [reason, count])),
    unchanged: counts.unchanged,
    keptBack: counts.kept_back,
    needed: counts.needed,
    rendering: counts.rendering,
    cut: Object.fromEntries(
      (counts.cut ?? []).map(({ kind, places, amount }) => [kind, { places, leftOut: amount }]),
    ),
    deadLetters: Object.fromEntries(
      (counts.dead_letters ?? []).map((letter) => [letter.class, letter.count]),
    ),
    rate: rateOf(counts),
    stages: isOver(row.state) ? [] : stagesOf(await measureLoads(db)),
  };
}

/** How fast a crawl goes of late. */
export const crawlRateOf = async (db: Queryable, crawlId: string): Promise<CrawlRate> =>
  rateOf(await one(recentRate(db, crawlId, rateWindow)));

const rateOf = ({ per_second: perSecond, statuses }: RecentRate): CrawlRate => ({ perSecond, statuses });

async function findRow(db: Queryable, only: string): Promise<CountedCrawl | null> {
  const [row] = await listCrawls(db, { only, states: crawlStates, limit: 1 });
  return row ?? null;
}

const summaryOf = ({ config: _, configVersion: __, ...summary }: CountedCrawl): CrawlSummary => summary;
