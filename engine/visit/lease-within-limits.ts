/** Leases URLs for a slice. Crawls with a page limit are locked meanwhile, so that the limit is kept exactly. What
 * the pages need is fetched beyond it. */
import { inTransaction, type Pool, retrying } from '../../storage/postgres/index.ts';
import { leaseUrls, type LeasedUrl, pagesInHand } from '../../storage/frontier/index.ts';
import { lockCrawls } from '../../storage/crawls/index.ts';
import { rendersAny } from '../../domain/rendering/mode.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

/** Returns the URLs in the order of fetching. @param turns most URLs of a crawl, by its id; absent: no limit */
export async function leaseWithinLimits(
  pool: Pool,
  hostId: string,
  token: number,
  limit: number,
  crawls: readonly OpenCrawl[],
  turns: ReadonlyMap<number, number> = new Map(),
): Promise<LeasedUrl[]> {
  const limited = crawls.filter(({ config }) => config.maxPages !== null);
  const unlimited = crawls
    .filter(({ config }) => config.maxPages === null)
    .map(({ id, config }) => ({ crawl_id: id, pages: turns.get(id) ?? null, weight: config.weight }));
  const urls = await retrying(() =>
    limited.length === 0
      ? leaseUrls(pool, hostId, token, limit, JSON.stringify(unlimited))
      : inTransaction(pool, async (db) => {
          const ids = limited.map(({ id }) => id);
          await lockCrawls(db, ids);
          const inHand = new Map((await pagesInHand(db, ids)).map((row) => [row.crawl_id, row.pages]));
          const rooms = limited.map(({ id, config }) => {
            const left = Math.max(0, (config.maxPages ?? 0) - (inHand.get(id) ?? 0));
            const most = turns.get(id) ?? limit;
            return {
              crawl_id: id,
              weight: config.weight,
              pages: Math.min(most, left),
              needed: left === 0 && (config.requisites || rendersAny(config)) ? most : 0,
            };
          });
          return leaseUrls(db, hostId, token, limit, JSON.stringify([...rooms, ...unlimited]));
        }),
  );
  return urls.sort((a, b) => a.turn - b.turn);
}
