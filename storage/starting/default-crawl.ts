/**
 * The default crawl of a tenant, on which the compatible routes act. It is made at its first use, without seeds, and
 * is over as long as it has nothing to do; seeds make it run again. A default crawl that was cancelled, or ended at a
 * limit, stays as it is: the next use makes another one, with the same settings.
 */
import { defaultCrawlConfig } from '../../contracts/crawl.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import { provideResting, type Provided } from './resting-crawl.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { Pool, Queryable } from '../postgres/index.ts';
import { chooseDefaultCrawl, defaultCrawl, type RestingCrawl } from './starting.sql.ts';
import { explainUrl, type UrlCircumstances } from '../reports/index.ts';
import { hostIds } from '../hosts/index.ts';
import { pendingSeed } from '../seeds/index.ts';
import { storedStages } from '../../domain/stage.ts';

/** Null: the tenant has no default crawl yet. */
export async function findDefaultCrawl(db: Queryable, tenantId: number): Promise<RestingCrawl | null> {
  const [row] = await defaultCrawl(db, tenantId);
  return row ?? null;
}

/** The id of the default crawl, which is made if there is none; or the quota that forbids a new one. */
export const provideDefaultCrawl = (pool: Pool, tenantId: number): Promise<Provided> =>
  provideResting(pool, tenantId, {
    label: 'default',
    find: (db) => findDefaultCrawl(db, tenantId),
    configOf: (before) => before?.config ?? defaultCrawlConfig,
    keep: (db, crawlId) => chooseDefaultCrawl(db, tenantId, crawlId),
  });

export type UrlStatus = Pick<
  UrlCircumstances,
  | 'url'
  | 'state'
  | 'stage'
  | 'depth'
  | 'reason'
  | 'detail'
  | 'status'
  | 'content_type'
  | 'bytes'
  | 'discovered_at'
  | 'fetched_at'
>;

/**
 * A URL of a crawl, in any spelling; a seed that is still to be admitted counts as queued. Null: the crawl has never
 * met the URL.
 */
export async function findUrl(
  db: Queryable,
  crawlId: string,
  { canonical, host, url }: CanonicalUrl,
): Promise<UrlStatus | null> {
  // The waiting seeds are read first: a seed that is admitted between the two reads is then found by one read or both.
  const [seed] = await pendingSeed(db, crawlId, url);
  const [origin] = await hostIds(db, [host]);
  const key = urlKey(canonical).toString('hex');
  const [row] = origin === undefined ? [] : await explainUrl(db, String(origin.id), crawlId, key);
  if (row !== undefined || seed === undefined) return row ?? null;
  const nothingYet = { reason: null, detail: null, status: null, content_type: null, fetched_at: null };
  return {
    url,
    state: 'queued',
    stage: storedStages.none,
    depth: 0,
    bytes: 0,
    discovered_at: seed.added_at,
    ...nothingYet,
  };
}
