/**
 * A seed that redirects out of the scope: who names a site means the place where it is now. So that place becomes one of
 * the crawl's, as if a seed stood there; but for its settings nothing else of the crawl changes, and its request headers
 * go to the origins of the seeds alone.
 */
import { isIP } from 'node:net';
import { kindOf } from '../../domain/url-kind.ts';
import { namesLogin } from '../../domain/page-need.ts';
import type { CanonicalUrl } from '../../domain/url.ts';
import { addressRefusal, parseCidrs } from '../../net/address-guard.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';
import { inTransaction, type Pool } from '../../storage/postgres/index.ts';
import { bringPlace } from '../../storage/seeds/index.ts';
import type { Books } from '../books/books.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

type FoundUrl = Pick<LeasedUrl, 'url' | 'kind' | 'seed' | 'depth' | 'hops'>;

/** Is the URL a seed, or where the redirects of one have led? No other page is at depth 0 (candidates.ts). */
export const leadsFromSeed = ({ seed, depth, hops, kind }: FoundUrl): boolean =>
  kindOf(kind) === 'page' && (seed || (depth === 0 && hops > 0));

/**
 * Does the redirect bring the place of its target into the crawl? Only if the crawl would fetch the target there: not
 * where its filters, an opt-out or the guard of addresses keep it out. A login is no place where a site has moved to.
 * What is not brought is outside the scope, and counted so.
 */
export async function hasMoved(
  { optOuts }: Pick<Books, 'optOuts'>,
  { judge, allowPrivate }: OpenCrawl,
  url: FoundUrl,
  target: CanonicalUrl,
): Promise<boolean> {
  if (!leadsFromSeed(url)) return false;
  const link = { link: target, depth: url.depth, seed: false };
  const [asItIs, asMoved] = await judge([link, { ...link, moved: true }]);
  if (asItIs?.verdict !== 'outside' || asMoved?.verdict !== 'admit') return false;
  const { pathname, search, hostname } = new URL(target.url);
  if (namesLogin(pathname + search) || isBarred(hostname, allowPrivate)) return false;
  return (await optOuts.covering(target.url)) === null;
}

/** Brings the place of the target into the crawl, if the redirect does. */
export async function followSeed(
  pool: Pool,
  books: Pick<Books, 'optOuts'>,
  crawl: OpenCrawl,
  url: FoundUrl,
  target: CanonicalUrl,
): Promise<void> {
  if (await hasMoved(books, crawl, url, target))
    await inTransaction(pool, (db) => bringPlace(db, crawl.id, url.url, target));
}

/** An address that may not be reached. Where a name leads is known once it is asked for, and said of its URL. */
function isBarred(hostname: string, allowed: readonly string[]): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) !== 0 && addressRefusal(address, parseCidrs(allowed)) !== null;
}
