/**
 * The life of a crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed.
 *
 * A crawl that is paused, draining or over has a cause, which programs decide by, and a reason, which people read.
 */
import { counted } from './counted.ts';

export const crawlStates = [
  'seeding',
  'running',
  'paused',
  'draining',
  'finished',
  'cancelled',
  'failed',
] as const;
export type CrawlState = (typeof crawlStates)[number];

/** A closed crawl sends no request and admits no URL. */
type ClosedState = Extract<CrawlState, 'finished' | 'cancelled' | 'failed'>;
export const closedCrawlStates: readonly CrawlState[] = [
  'finished',
  'cancelled',
  'failed',
] satisfies ClosedState[];

export const openCrawlStates = crawlStates.filter((state) => !isOver(state));

export function isOver(state: CrawlState): state is ClosedState {
  return closedCrawlStates.includes(state);
}

/** The predicate of a sentence about a crawl in this state: `is running`, `has failed`. */
export const standsAs = (state: CrawlState): string => (state === 'failed' ? 'has failed' : `is ${state}`);

/** Every way in which a crawl can end, with the state that follows. */
const endStates = {
  /** Nothing is left to fetch, except at parked hosts. */
  complete: 'finished',
  /** Nothing is left to fetch but what a quarantine keeps back: what lies behind it is not known. */
  'kept-back': 'finished',
  /** Nothing is left to fetch, except at parked hosts, and no URL was fetched at all. */
  'nothing-fetched': 'failed',
  'limit:max-pages': 'finished',
  'limit:max-seconds': 'finished',
  'limit:finish-criteria': 'finished',
  /** Somebody cancelled the crawl. */
  cancelled: 'cancelled',
  /** The crawl's workflow could not be started. */
  'not-started': 'failed',
} as const satisfies Record<string, ClosedState>;

export type CrawlEnding = keyof typeof endStates;
const crawlEndings = Object.keys(endStates) as CrawlEnding[];
/** Endings at a limit of the crawl itself. */
export type LimitEnding = Extract<CrawlEnding, `limit:${string}`>;
const isLimit = (cause: CrawlCause | null): cause is LimitEnding => cause?.startsWith('limit:') === true;
export const limitEndings = crawlEndings.filter(isLimit);
export const endState = (ending: CrawlEnding): ClosedState => endStates[ending];

/** Who paused a crawl: a person (`asked`), or the watch over its tenant's quotas, which also resumes it (`quota`). */
export const pauseCauses = ['asked', 'quota'] as const;
export type PauseCause = (typeof pauseCauses)[number];

export const crawlCauses = [...pauseCauses, ...crawlEndings] as const;
export type CrawlCause = (typeof crawlCauses)[number];

/** How a crawl ended, in words. @param met the finish criteria that were met, in words */
export function endingInWords(ending: CrawlEnding, met?: string): string {
  if (ending === 'nothing-fetched') return 'no URL could be fetched';
  const words = ending.replace(/^limit:/, '');
  return met === undefined ? words : `${words}: ${met}`;
}

/** Parts of sites that a crawl kept back, in words. */
export const keptBackInWords = (parts: number): string =>
  `${counted(parts, 'part of a site was', 'parts of sites were')} kept back, what lies behind ${parts === 1 ? 'it' : 'them'} is not known`;

/** How a crawl ended that has URLs left, all of them at hosts that it does not wait for. @param ending in words */
export const withLeft = (ending: string, urls: number): string =>
  urls === 0
    ? ending
    : `${ending}, but for ${counted(urls, 'URL that waits', 'URLs that wait')} at hosts that are parked or have logged the crawl out`;

/** Where a crawl stands. */
export interface CrawlStands {
  readonly state: CrawlState;
  /** Null: the crawl is seeding or running. */
  readonly cause: CrawlCause | null;
  readonly reason: string | null;
}

/** Where a crawl stands, with the number of this state, which whoever changes it next has to name. */
export interface NumberedStands extends CrawlStands {
  /** How often the state has changed. */
  readonly revision: number;
}

/**
 * A crawl with one of these endings goes on as soon as it has work again: new seeds, redriven dead letters, or a parked
 * host that answers.
 */
export const endingsThatGoOn = ['complete', 'kept-back', 'nothing-fetched'] as const satisfies CrawlEnding[];

/** The crawl is over because it reached a limit of its own: it goes on once an edit lifts that limit. */
export const endedAtLimit = ({ state, cause }: Pick<CrawlStands, 'state' | 'cause'>): boolean =>
  isOver(state) && isLimit(cause);

/** Why a crawl takes no more work, as the predicate of a sentence; null: it takes work, perhaps by running again. */
export function whyNoMore({ state, cause, reason }: CrawlStands): string | null {
  if (state === 'draining') return 'is ending';
  if (!isOver(state) || (endingsThatGoOn as readonly (CrawlCause | null)[]).includes(cause)) return null;
  if (state === 'cancelled') return 'was cancelled';
  return cause === 'not-started'
    ? 'was never started'
    : `ended at a limit of its own (${reason ?? 'unknown'})`;
}
