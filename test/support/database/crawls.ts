/** Crawls and their rows: states, pages that count, dead letters. */
import type { CrawlState } from '../../../contracts/crawl.ts';
import type { CrawlCause } from '../../../domain/crawl-life.ts';
import type { Queryable } from '../../../storage/postgres/index.ts';
import { fromNow, type Columns } from './table.ts';
import { tables, type CrawlColumns } from './tables.ts';
import type { UrlPlace } from './urls.ts';

type Crawl = string | number;

/** The most usual cause of each state. */
const usualCauses: Partial<Record<CrawlState, CrawlCause>> = {
  ...{ paused: 'asked', draining: 'cancelled', cancelled: 'cancelled' },
  ...{ finished: 'complete', failed: 'nothing-fetched' },
};

/** Sets the state of a crawl, and tells nobody: a workflow that runs the crawl has to look. */
export async function setState(
  db: Queryable,
  id: Crawl,
  state: CrawlState,
  reason: string | null = null,
  cause: CrawlCause | null = usualCauses[state] ?? null,
): Promise<void> {
  const ended = ['finished', 'cancelled', 'failed'].includes(state);
  const { started_at: startedAt } = await tables.crawl.row(db, { id });
  await changeCrawl(db, id, {
    ...{ state, reason, cause, ended_at: ended ? fromNow() : null },
    ...(startedAt === null ? { started_at: fromNow() } : {}),
  });
}

export async function changeCrawl(db: Queryable, id: Crawl, columns: CrawlColumns): Promise<void> {
  await tables.crawl.change(db, { id }, columns);
}

export const crawlState = async (db: Queryable, id: Crawl): Promise<CrawlState> =>
  (await tables.crawl.row(db, { id })).state;

/** The pages of a crawl that count, by the ledger. */
export const ledgerPages = async (db: Queryable, crawl: Crawl): Promise<number> =>
  (await tables.ledger.rows(db, { crawl_id: crawl })).reduce((sum, { pages }) => sum + pages, 0);

export const noEditPending = async (db: Queryable, crawl: Crawl): Promise<boolean> =>
  (await tables.config.count(db, { crawl_id: crawl, state: 'pending' })) === 0;

/** Adds a dead letter. The caller must set the URL itself to failed. */
export async function addLetter(
  db: Queryable,
  crawl: Crawl,
  { hostId, key }: UrlPlace,
  letterClass: string,
  columns: Parameters<typeof tables.letter.add>[1] = {},
): Promise<void> {
  const place = { host_id: hostId, crawl_id: crawl, key };
  await tables.letter.add(db, { ...place, class: letterClass, message: '', attempts: 1, ...columns });
}

type Letter = Columns<{ class: string; status: number | null; message: string; attempts: number }>;

export const lettersOf = async (db: Queryable, crawl: Crawl): Promise<Letter[]> =>
  (await tables.letter.rows(db, { crawl_id: crawl })).map(
    ({ class: letterClass, status, message, attempts }) => ({
      class: letterClass,
      status,
      message,
      attempts,
    }),
  );

/** Makes crawls from now on have numbers above this one. */
export async function skipCrawlIds(db: Queryable, id: number): Promise<void> {
  await db.query(`select setval(pg_get_serial_sequence('crawl', 'id'), $1)`, [id]);
}

/** Adds a tenant without keys or quotas. */
export const addTenant = async (db: Queryable, name: string): Promise<number> =>
  (await tables.tenant.add(db, { name })).id;

export const seedsOf = async (db: Queryable, crawl: Crawl): Promise<string[]> =>
  (await tables.seed.rows(db, { crawl_id: crawl, rejected: null })).map(({ url }) => url);
