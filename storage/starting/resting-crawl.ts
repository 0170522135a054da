/**
 * Crawls that stand for their tenant, and are over as long as they have nothing to do: seeds make them run again. One
 * that was cancelled, or ended at a limit, stays as it is: the next use makes another one.
 */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { whyNoMore } from '../../domain/crawl-life.ts';
import { spentForCrawl, type SpentQuota } from '../../domain/quotas.ts';
import { inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import { lockTenant, quotasOf, readUsage } from '../tenancy/index.ts';
import { onceMore } from './crawl-admission.ts';
import { insertRestingCrawl, type RestingCrawl } from './starting.sql.ts';

/** The id of the crawl, or the quota that forbids a new one. */
export type Provided = { readonly id: string } | { readonly id: null; readonly spent: SpentQuota };

interface Resting {
  readonly label: string;
  /** The crawl that stands for it now; null: none. */
  readonly find: (db: Queryable) => Promise<RestingCrawl | null>;
  /** Settings of a new one, after one that takes no more work; null: there was none. */
  readonly configOf: (before: RestingCrawl | null) => CrawlConfig;
  /** Notes that this crawl stands for it from now on. */
  readonly keep: (db: Queryable, crawlId: string) => Promise<unknown>;
}

const stands = (crawl: RestingCrawl): boolean => crawl.state === 'draining' || whyNoMore(crawl) === null;

/** However many callers ask at once, one crawl is made. */
export async function provideResting(
  pool: Pool,
  tenantId: number,
  { label, find, configOf, keep }: Resting,
): Promise<Provided> {
  const there = await find(pool);
  if (there !== null && stands(there)) return there;
  return onceMore(() =>
    inTransaction(pool, async (db) => {
      const [tenant] = await lockTenant(db, tenantId);
      const existing = await find(db);
      if (existing !== null && stands(existing)) return existing;
      const { used, dayLeftSeconds } = await readUsage(db, tenantId);
      const spent = spentForCrawl(quotasOf(tenant?.quotas ?? {}), used, dayLeftSeconds);
      if (spent !== null) return { id: null, spent };
      const [created] = await insertRestingCrawl(db, tenantId, JSON.stringify(configOf(existing)), label);
      if (created === undefined) throw new Error('Postgres returned no id for the new crawl');
      await keep(db, created.id);
      return created;
    }),
  );
}
