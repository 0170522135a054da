/**
 * Dead letters (F14, G7): URLs that were given up, each with one class and its evidence. A failed URL has exactly one,
 * and a URL in any other state has none (`audit` counts both); driving one again takes the letter and queues the URL
 * with all its tries, in one transaction.
 */
import { whyNoMore, type CrawlStands } from './crawl-life.ts';
import { troubleClasses } from './trouble.ts';

/** Trouble that was the URL's own, by the reason it failed with (outcome.ts). */
const ownClasses = [
  'forbidden',
  'client-error',
  'server-error',
  'bad-redirect',
  'too-many-redirects',
  'redirect-loop',
  'bad-encoding',
  'protocol',
  'poison',
] as const;

/** Every class a dead letter can have; `timeout`, `reset` and `overloaded` are in the host's list. */
export const deadLetterClasses = [...troubleClasses, ...ownClasses] as const;
export type DeadLetterClass = (typeof deadLetterClasses)[number];

export const isDeadLetterClass = (text: string): text is DeadLetterClass =>
  (deadLetterClasses as readonly string[]).includes(text);

/** Classes that were the host's trouble, or may have been: they go again when the host does. */
export const hostCausedClasses: readonly DeadLetterClass[] = [...troubleClasses, 'server-error', 'poison'];

/** 401 and 403 ask us to stay away: whoever drives such a letter again, no request is sent within this. */
export const restingClass: DeadLetterClass = 'forbidden';
export const restMs = 7 * 86_400_000;

/** When a letter may be driven again, in milliseconds since 1970; null: at once. @param failedAtMs when it was written. */
export const redriveNotBefore = (letterClass: string, failedAtMs: number): number | null =>
  letterClass === restingClass ? failedAtMs + restMs : null;

/** What of a crawl decides whether URLs of it may be queued again. */
export interface RedriveCrawl extends CrawlStands {
  readonly pages: number;
  /** Milliseconds since it began, however often it has ended since; null: it has not. */
  readonly sinceStartMs: number | null;
  readonly maxPages: number | null;
  readonly maxSeconds: number | null;
}

/**
 * Why no URL of a crawl may be queued again, as the predicate of a sentence; null: it may. A letter of a crawl that
 * will not go on stays a letter: queued, it would only be excluded. One that has ended because nothing was left goes on.
 */
export function redriveBar(crawl: RedriveCrawl): string | null {
  const over = whyNoMore(crawl);
  if (over !== null) return over;
  if (crawl.maxPages !== null && crawl.pages >= crawl.maxPages) return 'has all the pages it may have';
  const { maxSeconds, sinceStartMs } = crawl;
  if (maxSeconds !== null && sinceStartMs !== null && sinceStartMs >= maxSeconds * 1_000)
    return 'has had its time';
  return null;
}

/** What came of driving letters again. */
export interface RedriveCounts {
  /** Letters whose URLs are queued again. */
  readonly requeued: number;
  /** Of these: at hosts that are parked, where they wait. */
  readonly atParked: number;
  /** Letters left alone: 401 and 403 within their seven days. */
  readonly resting: number;
  /** Milliseconds since 1970 at which the first of the resting may go; null: none rests. */
  readonly notBefore: number | null;
  /** Letters left alone since their crawl does not go on. */
  readonly barred: number;
}

export const noneRedriven: RedriveCounts = {
  requeued: 0,
  atParked: 0,
  resting: 0,
  notBefore: null,
  barred: 0,
};

export function addRedriven(one: RedriveCounts, other: RedriveCounts): RedriveCounts {
  const times = [one.notBefore, other.notBefore].filter((time) => time !== null);
  return {
    requeued: one.requeued + other.requeued,
    atParked: one.atParked + other.atParked,
    resting: one.resting + other.resting,
    notBefore: times.length === 0 ? null : Math.min(...times),
    barred: one.barred + other.barred,
  };
}
