/** When a crawl is over, judged by one snapshot of its ledger. */

import { endedAtLimit, isOver, whyNoMore, type CrawlStands, type LimitEnding } from './crawl-life.ts';
import { rendersAny, type RenderMode } from './rendering/mode.ts';
import { metBy, type FinishCriteria } from './finish-criteria.ts';

export interface CrawlProgress {
  readonly queued: number;
  readonly leased: number;
  /** Fetched bodies that wait for dedup or extraction, and may still bring links. */
  readonly pending: number;
  /** Pages fetched. */
  readonly pages: number;
  /** How many of `queued` are at parked hosts: they wait for a person, or for a probe that is answered. */
  readonly parked: number;
  readonly runningMs: number;
  readonly bytes: number;
  /** Pages by counter (finish-criteria.ts). */
  readonly counters: Readonly<Record<string, number>>;
  /** Something that pages need waits to be fetched, or is being fetched; absent: nothing. */
  readonly needs?: boolean;
  /** A browser is there that renders pages; absent: none is. */
  readonly renders?: boolean;
  /** The limit has left out what was queued, before the crawl ended (`waitsForNeeds`); absent: nothing. */
  readonly cut?: boolean;
}

export interface CrawlLimits {
  readonly maxPages: number | null;
  readonly maxSeconds: number | null;
  readonly finish: FinishCriteria | null;
  /** A limit of pages leaves what those pages need to be fetched; absent: it ends the crawl at once. */
  readonly requisites?: boolean;
  /** The same holds for what pages ask for while they are rendered. */
  readonly render?: RenderMode;
  readonly renderAlways?: readonly string[];
}

export interface FinishVerdict {
  readonly verdict: 'going' | 'complete' | LimitEnding;
  /** Which finish criteria were met, in words. */
  readonly met?: string;
}

/** If a limit is reached and nothing is left to do, the verdict is `complete`: the limit cut nothing off. */
export function judgeFinish(progress: CrawlProgress, limits: CrawlLimits): FinishVerdict {
  const isCut = isFull(progress, limits) && progress.cut === true;
  if (!hasWork(progress) && !isCut) return { verdict: 'complete' };
  const waits = waitsForNeeds(progress, limits);
  return limitReached(progress, waits ? { ...limits, maxPages: null } : limits) ?? { verdict: 'going' };
}

/**
 * The crawl has its pages, and not yet what they need: pages that are not read yet may need more. The URLs of other kinds
 * that are queued have no turn any more, and are excluded: hosts that have nothing else would be visited for nothing, and
 * keep their places from others.
 */
export const waitsForNeeds = (progress: CrawlProgress, limits: CrawlLimits): boolean =>
  isFull(progress, limits) &&
  (limits.requisites === true || (progress.renders === true && rendersAny(limits))) &&
  hasWork(progress) &&
  (progress.pending > 0 || progress.needs === true);

const isFull = ({ pages }: Reached, { maxPages }: CrawlLimits): boolean =>
  maxPages !== null && pages >= maxPages;

const hasWork = ({ queued, parked, leased, pending }: CrawlProgress): boolean =>
  queued - parked + leased + pending > 0;

type Reached = Pick<CrawlProgress, 'pages' | 'runningMs' | 'bytes' | 'counters'>;

/** The limit that a crawl has reached, whether or not it has anything left to do; null: none. */
export function limitReached(
  progress: Reached,
  limits: CrawlLimits,
): { readonly verdict: LimitEnding; readonly met?: string } | null {
  if (isFull(progress, limits)) return { verdict: 'limit:max-pages' };
  if (limits.maxSeconds !== null && progress.runningMs >= limits.maxSeconds * 1_000) {
    return { verdict: 'limit:max-seconds' };
  }
  const met = limits.finish === null ? null : metBy(limits.finish, { ...progress, exhausted: false });
  return met === null ? null : { verdict: 'limit:finish-criteria', met };
}

/**
 * What other limits do to the life of a crawl. 'ends': the crawl, which goes on by its present limits, ends at once.
 * 'goes-on': the crawl had ended at a limit, which holds no more. 'over': the crawl is over, and the limits leave it so.
 */
export type LifeUnderEdit =
  | { readonly life: 'stays' | 'goes-on' | 'over' }
  | { readonly life: 'ends'; readonly by: LimitEnding };

/** The one rule for what an edit does and for what its preview says. */
export function lifeUnderEdit(
  crawl: CrawlStands & CrawlProgress,
  before: CrawlLimits,
  after: CrawlLimits,
): LifeUnderEdit {
  const limit = limitReached(crawl, after);
  if (endedAtLimit(crawl)) return { life: limit === null ? 'goes-on' : 'over' };
  if (whyNoMore(crawl) !== null) return { life: 'over' };
  const ends =
    limit !== null && !isOver(crawl.state) && hasWork(crawl) && limitReached(crawl, before) === null;
  return ends ? { life: 'ends', by: limit.verdict } : { life: 'stays' };
}
