/**
 * A seed that redirects out of the scope: who names a site means the place where it is now. So that place becomes one of
 * the crawl's, as if a seed stood there; but for its settings nothing else of the crawl changes, and its request headers
 * go to the origins of the seeds alone.
 */
import { kindOf } from '../../domain/url-kind.ts';
import { namesLogin } from '../../domain/page-need.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { bringPlace, seedPlace } from '../../storage/seeds/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

type FoundUrl = Pick<LeasedUrl, 'url' | 'kind' | 'seed' | 'depth' | 'hops'>;

/** Is the URL a seed, or where the redirects of one have led? */
export const leadsFromSeed = ({ seed, depth, hops, kind }: FoundUrl): boolean =>
  kindOf(kind) === 'page' && (seed || (depth === 0 && hops > 0));

/** Brings the place of the target into the crawl. A login is no place where a site has moved to. */
export async function followSeed(
  pool: Pool,
  { id, judge }: OpenCrawl,
  url: FoundUrl,
  target: CanonicalUrl,
): Promise<void> {
  if (!leadsFromSeed(url)) return;
  const [verdict] = await judge([{ link: target, depth: url.depth, seed: false }]);
  const { pathname, search } = new URL(target.url);
  if (verdict?.verdict !== 'outside' || namesLogin(pathname + search)) return;
  await bringPlace(pool, id, seedPlace(target), url.url, target.url);
}
