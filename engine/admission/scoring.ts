/** The score of a page (domain/priority/score.ts) from what a process knows about its place and its host. */
import { hostName } from '../../domain/opt-out.ts';
import { placeInSite, score, type PrioritySignals, type Score } from '../../domain/priority/score.ts';
import { trustOf } from '../../domain/priority/trust.ts';
import { dateInPath, freshnessOf } from '../../domain/priority/url-date.ts';
import { pathAndQuery } from '../../domain/url.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

export interface Scored extends Pick<
  PrioritySignals,
  'depth' | 'parentPriority' | 'inboundHosts' | 'inboundPages' | 'relevance'
> {
  readonly url: string;
  /** Its origin. */
  readonly host: string;
  /** The last change that a sitemap names, in epoch milliseconds; null: none is known. */
  readonly lastmod: number | null;
}

/**
 * @param place of the host in the imported ranking; null: none is known
 * @param quality of the host
 * @param now epoch milliseconds, by which dates in addresses are judged
 */
export function scoreOf(
  { url, host, lastmod, ...counted }: Scored,
  { weights, trusted }: Pick<OpenCrawl, 'weights' | 'trusted'>,
  place: number | null,
  quality: number,
  now: number,
): Score & { readonly signals: PrioritySignals } {
  const path = pathAndQuery({ url, host });
  const byAddress = weights.freshness === 0 ? 0 : freshnessOf(dateInPath(path), now);
  const bySitemap = weights.freshness === 0 ? 0 : freshnessOf(lastmod, now);
  const signals = {
    ...counted,
    ...placeInSite(path),
    freshness: Math.max(byAddress, bySitemap),
    dateOfSitemap: bySitemap > byAddress,
    trusted: weights.trusted === 0 ? 0 : trustOf(hostName(host), trusted, place),
    hostQuality: quality,
  };
  return { ...score(signals, weights), signals };
}

/** How much a URL promises to be about the crawl's focus, judged without a link to it; 0: the crawl has no focus. */
export const promiseOf = ({ topic }: Pick<OpenCrawl, 'topic'>, url: string): number =>
  topic?.promise(url, { anchor: '', around: '' }, 0, 0) ?? 0;
