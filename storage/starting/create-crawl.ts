/** Stores a crawl together with its seeds. */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { defaultTenant } from '../../contracts/tenancy.ts';
import type { Queryable } from '../postgres/index.ts';
import { appendSeeds, type SeedLine } from '../seeds/index.ts';
import { askIndex } from '../search/index.ts';
import { failUnstartedCrawl, insertCrawl } from './starting.sql.ts';

/** Seeds that one statement stores, which takes seconds on a busy machine. 300,000 took longer than a statement may. */
const seedsAtOnce = 20_000;

/**
 * Stores crawl and seeds together, in state `seeding`. The caller must start the crawl's workflow. Answers the id.
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
  if (created === undefined) throw new Error('Postgres returned no id for the new crawl');
  if (config.search) await askIndex(db, created.id);
  for (let at = seedsAtOnce; at < seeds.length; at += seedsAtOnce)
    await appendSeeds(db, created.id, JSON.stringify(seeds.slice(at, at + seedsAtOnce)));
  return created.id;
}

/** Ends a crawl whose workflow could not be started. A crawl that has begun meanwhile is left alone. */
export async function failUnstarted(db: Queryable, crawlId: string, reason: string): Promise<void> {
  await failUnstartedCrawl(db, crawlId, reason);
}
