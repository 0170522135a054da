/** Crawls as their owners see them: created with their seeds, listed, looked at. */
import { crawlStates, wholeConfig, type CrawlConfig, type CrawlState } from '../contracts/crawl.ts';
import { openCrawlStates } from '../domain/crawl-life.ts';
import { withHiddenHeaders } from '../domain/request-headers.ts';
import { defaultTenant } from '../contracts/tenancy.ts';
import type { CountsView, CrawlSummary, CrawlView } from '../contracts/http/crawls.ts';
import { appendSeeds } from './statements/append-seeds.ts';
import { countCrawl } from './statements/count-crawl.ts';
import { failUnstartedCrawl } from './statements/fail-unstarted-crawl.ts';
import { insertCrawl } from './statements/insert-crawl.ts';
import { listCrawls, type CountedCrawlRow } from './statements/list-crawls.ts';
import { listParkedHosts, type ParkedHost } from './statements/list-parked-hosts.ts';
import { listRejectedSeeds } from './statements/list-rejected-seeds.ts';
import type { Queryable } from './pool.ts';
import type { SeedLine } from './seeds.ts';

/** Seconds over which the rate is measured. */
const rateWindow = 10;
const rejectedShown = 100;

/** Seeds that one statement stores. This takes seconds on a busy machine; 300,000 took longer than a statement may. */
const seedsAtOnce = 20_000;

/**
 * Stores crawl and seeds together, in state `seeding`. The caller must start its workflow. Answers the id.
 * @param db must be in a transaction if there are more seeds than one statement stores
 */
export async function createCrawl(
  db: Queryable,
  config: CrawlConfig,
  seeds: readonly SeedLine[],
  tenantId: number = defaultTenant,
  label: string | null = null,
  userId: string | null = null,
): Promise<string> {
  const [settings, lines] = [JSON.stringify(config), JSON.stringify(seeds.slice(0, seedsAtOnce))];
  const [created] = await insertCrawl(db, settings, lines, tenantId, label, userId);
  if (created === undefined) throw new Error('Postgres gave no id for the new crawl');
  for (let at = seedsAtOnce; at < seeds.length; at += seedsAtOnce)
    await appendSeeds(db, created.id, JSON.stringify(seeds.slice(at, at + seedsAtOnce)));
  return created.id;
}

/** Ends a crawl whose workflow could not be started. One that has begun meanwhile is left alone. */
export async function failUnstarted(db: Queryable, crawlId: string, reason: string): Promise<void> {
  await failUnstartedCrawl(db, crawlId, reason);
}

/** Null: there is no such crawl. */
export async function findCrawl(db: Queryable, crawlId: string): Promise<CrawlSummary | null> {
  const row = await findRow(db, crawlId);
  return row === null ? null : summaryOf(row);
}

/** Newest first, those in the states given. `before`: only crawls older than this id; `tenantId` null: of all tenants. */
export async function crawlsBefore(
  db: Queryable,
  before: string | null,
  limit: number,
  tenantId: number | null = null,
  states: readonly CrawlState[] = crawlStates,
): Promise<readonly CrawlSummary[]> {
  return (await listCrawls(db, null, before, states, limit, tenantId)).map(summaryOf);
}

/** Crawls that are not over, newest first; all, or those in the states given. `tenantId` null: of all tenants. */
export async function openCrawls(
  db: Queryable,
  states: readonly CrawlState[] = openCrawlStates,
  tenantId: number | null = null,
): Promise<readonly CrawlSummary[]> {
  return (await listCrawls(db, null, null, states, 1_000, tenantId)).map(summaryOf);
}

/** Everything there is to say of a crawl at a glance; null: there is no such crawl. */
export async function viewCrawl(db: Queryable, crawlId: string): Promise<CrawlView | null> {
  const row = await findRow(db, crawlId);
  if (row === null) return null;
  const [counts] = await countCrawl(db, crawlId, rateWindow);
  if (counts === undefined) throw new Error('Postgres did not count');
  const { accepted_seeds: accepted, rejected_seeds: rejected, waiting_seeds: waiting } = counts;
  return {
    ...summaryOf(row),
    config: withHiddenHeaders(wholeConfig(row.config)) as CrawlView['config'],
    configVersion: row.config_version,
    seeds: {
      accepted,
      rejected,
      waiting,
      firstRejected: rejected > 0 ? await listRejectedSeeds(db, crawlId, rejectedShown) : [],
    },
    hosts: {
      total: counts.hosts,
      waiting: counts.waiting_hosts,
      working: counts.working_hosts,
      parked: counts.parked_hosts,
    },
    excluded: Object.fromEntries((counts.excluded ?? []).map(({ reason, count }) => [reason, count])),
    cut: Object.fromEntries(
      (counts.cut ?? []).map(({ kind, places, amount }) => [kind, { places, leftOut: amount }]),
    ),
    deadLetters: Object.fromEntries(
      (counts.dead_letters ?? []).map((letter) => [letter.class, letter.count]),
    ),
    rate: { perSecond: counts.recent_fetches / rateWindow },
  };
}

/** Parked hosts at which the crawl has URLs, most queued first. */
export async function parkedHosts(
  db: Queryable,
  crawlId: string,
  limit: number,
): Promise<readonly ParkedHost[]> {
  return listParkedHosts(db, crawlId, limit);
}

async function findRow(db: Queryable, crawlId: string): Promise<CountedCrawlRow | null> {
  const [row] = await listCrawls(db, crawlId, null, crawlStates, 1, null);
  return row ?? null;
}

function summaryOf(row: CountedCrawlRow): CrawlSummary {
  return {
    id: row.id,
    state: row.state,
    cause: row.cause,
    reason: row.reason,
    label: row.label,
    jobId: row.job_id,
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    endedAt: row.ended_at?.toISOString() ?? null,
    seconds: row.seconds,
    ...countsOf(row),
  };
}

function countsOf(row: CountedCrawlRow): CountsView {
  const { discovered, queued, leased, done, excluded, dead, failed } = row;
  return {
    ledger: { discovered, queued, leased, done, excluded, dead, failed },
    pages: row.pages,
    pending: row.pending,
    fetches: row.fetches,
    bytes: row.bytes,
  };
}
