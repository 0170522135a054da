/**
 * The life of a crawl: seeding → running ⇄ paused → draining → finished, cancelled or failed.
 *
 * A crawl that is paused, drains or is over has a cause, by which programs decide; its reason is prose for people.
 */

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

/** What stands behind the name of a crawl: `is running`, `has failed`. */
export const standsAs = (state: CrawlState): string => (state === 'failed' ? 'has failed' : `is ${state}`);

/** Every way to end, with the state that the crawl is in then. */
const endStates = {
  /** Nothing is left to fetch, but at parked hosts. */
  complete: 'finished',
  /** The same, and no URL was fetched at all. */
  'nothing-fetched': 'failed',
  'limit:max-pages': 'finished',
  'limit:max-seconds': 'finished',
  'limit:finish-criteria': 'finished',
  /** Somebody ended it. */
  cancelled: 'cancelled',
  /** Its workflow could not be started. */
  'not-started': 'failed',
} as const satisfies Record<string, ClosedState>;

export type CrawlEnding = keyof typeof endStates;
const crawlEndings = Object.keys(endStates) as CrawlEnding[];
export const endState = (ending: CrawlEnding): ClosedState => endStates[ending];

/** Who paused a crawl: somebody, or the watch over its tenant's quotas, which lets it go on by itself. */
export const pauseCauses = ['asked', 'quota'] as const;
export type PauseCause = (typeof pauseCauses)[number];

export const crawlCauses = [...pauseCauses, ...crawlEndings] as const;
export type CrawlCause = (typeof crawlCauses)[number];

/** What a crawl is said to have ended by. @param met in words, by what finish criteria were met */
export function endingInWords(ending: CrawlEnding, met?: string): string {
  if (ending === 'nothing-fetched') return 'no URL could be fetched';
  const words = ending.replace(/^limit:/, '');
  return met === undefined ? words : `${words}: ${met}`;
}

/** Where a crawl stands. */
export interface CrawlStands {
  readonly state: CrawlState;
  /** Null: it is seeding, or runs. */
  readonly cause: CrawlCause | null;
  readonly reason: string | null;
}

/** A crawl that ended so goes on as soon as there is work: seeds, letters driven again, a parked host that answers. */
export const endingsThatGoOn = ['complete', 'nothing-fetched'] as const satisfies CrawlEnding[];

/** Why a crawl takes up no more work, as the predicate of a sentence; null: it does, perhaps by running again. */
export function whyNoMore({ state, cause, reason }: CrawlStands): string | null {
  if (state === 'draining') return 'is ending';
  if (!isOver(state) || (endingsThatGoOn as readonly (CrawlCause | null)[]).includes(cause)) return null;
  if (state === 'cancelled') return 'was cancelled';
  return cause === 'not-started'
    ? 'was never started'
    : `ended at a limit of its own (${reason ?? 'unknown'})`;
}
