/** The score of a page (domain/priority/score.ts) from what a process knows about its place and its host. */
import { hostName } from '../../domain/opt-out.ts';
import { placeInSite, score, type PrioritySignals, type Score } from '../../domain/priority/score.ts';
import { trustOf } from '../../domain/priority/trust.ts';
import { pathAndQuery } from '../../domain/url.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

export interface Scored extends Pick<
  PrioritySignals,
  'depth' | 'parentPriority' | 'inboundHosts' | 'inboundPages' | 'relevance'
> {
  readonly url: string;
  /** Origin. */
  readonly host: string;
}

/**
 * @param place of the host in the imported ranking; null: none is known
 * @param quality of the host
 */
export function scoreOf(
  { url, host, ...counted }: Scored,
  { weights, trusted, quarantine }: Pick<OpenCrawl, 'weights' | 'trusted' | 'quarantine'>,
  place: number | null,
  quality: number,
): Score & { readonly signals: PrioritySignals } {
  const signals = {
    ...counted,
    ...placeInSite(pathAndQuery({ url, host })),
    trusted: weights.trusted === 0 ? 0 : trustOf(hostName(host), trusted, place),
    hostQuality: quality,
    trapSuspicion: quarantine?.suspects({ canonical: url, host }) === true ? 1 : 0,
  };
  return { ...score(signals, weights), signals };
}

/** What a URL promises of the crawl's focus by itself, without a link; 0: the crawl has none. */
export const promiseOf = ({ topic }: Pick<OpenCrawl, 'topic'>, url: string): number =>
  topic?.promise(url, { anchor: '', around: '' }, 0, 0) ?? 0;
