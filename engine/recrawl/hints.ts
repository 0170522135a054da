/** What a sitemap says of the pages of a standing crawl: how often they change, and when they last did (F32). */
import type { SitemapEntry } from '../../content/sitemap-entry.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { changeRates, trustsLastmods } from '../../domain/recrawl/page-class.ts';
import { canonicalize } from '../../domain/url.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import { retrying, type Pool } from '../../storage/postgres/index.ts';
import { noteHints, sitemapRecord, type SitemapHint } from '../../storage/recrawl/index.ts';

/**
 * A sitemap speaks of pages at its own host only (sitemaps.org, "Sitemap file location"): what it says of others is not
 * read. A date that is newer than the copy makes a page due at once, if the dates of this host have held so far.
 */
export async function noteSitemapHints(
  pool: Pool,
  { crawl_id: crawlId, host_id: hostId, origin }: Pick<StagedBody, 'crawl_id' | 'host_id' | 'origin'>,
  entries: readonly SitemapEntry[],
): Promise<void> {
  const hints = new Map<string, SitemapHint>();
  for (const { kind, url, lastmod = '', changefreq = '' } of entries) {
    const link = kind === 'page' && lastmod + changefreq !== '' ? canonicalize(url) : null;
    if (link?.ok !== true || link.value.host !== origin) continue;
    const key = urlKey(link.value.canonical).toString('hex');
    const freq = changefreq.toLowerCase();
    const at = Date.parse(lastmod);
    hints.set(key, {
      host_id: hostId,
      key,
      changefreq: Object.hasOwn(changeRates, freq) ? freq : null,
      lastmod: Number.isNaN(at) ? null : at,
    });
  }
  if (hints.size === 0) return;
  const [record] = await sitemapRecord(pool, crawlId, hostId);
  const trusted = record !== undefined && trustsLastmods(record);
  await retrying(() => noteHints(pool, crawlId, trusted, JSON.stringify([...hints.values()])));
}
