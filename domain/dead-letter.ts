/**
 * Dead letters (F14, G7): URLs that were given up, each with one class and its evidence. A failed URL has exactly one
 * dead letter, and a URL in any other state has none (`audit` counts both). To redrive a dead letter is to delete it
 * and to queue its URL with all its tries, in one transaction.
 */
import { whyNoMore, type CrawlStands } from './crawl-life.ts';
import { troubleClasses } from './trouble.ts';
import { failedReasons, type FailedReason } from './url-reason.ts';

/** Every class a dead letter can have: the reason of its URL. */
export const deadLetterClasses = failedReasons;
export type DeadLetterClass = FailedReason;

export const isDeadLetterClass = (text: string): text is DeadLetterClass =>
  (deadLetterClasses as readonly string[]).includes(text);

/**
 * Classes that were, or may have been, the host's trouble: such letters are redriven when the host answers again.
 * `poison` is none of them: its URL may have killed workers, so only a person redrives it, who has read the log.
 */
export const hostCausedClasses: readonly DeadLetterClass[] = [...troubleClasses, 'server-error'];

/** 401 and 403 ask us to stay away: such a letter cannot be redriven within `restMs` milliseconds, whoever asks. */
export const restingClass: DeadLetterClass = 'forbidden';
export const restMs = 7 * 86_400_000;

/** When a letter may be redriven, in milliseconds since 1970; null: at once. @param failedAtMs when it was written */
export const redriveNotBefore = (letterClass: DeadLetterClass, failedAtMs: number): number | null =>
  letterClass === restingClass ? failedAtMs + restMs : null;

/** The facts about a crawl that decide whether its URLs may be queued again. */
export interface RedriveCrawl extends CrawlStands {
  readonly pages: number;
  /** Milliseconds since the crawl began, however often it has ended since; null: it has not begun. */
  readonly sinceStartMs: number | null;
  readonly maxPages: number | null;
  readonly maxSeconds: number | null;
}

/**
 * Why no URL of a crawl may be queued again, as the predicate of a sentence; null: URLs may be queued. A dead letter of
 * a crawl that will not go on stays a dead letter: its URL, if queued, would only be excluded. A crawl that ended
 * because nothing was left goes on.
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

/** What redriving letters did. */
export interface RedriveCounts {
  /** Letters whose URLs are queued again. */
  readonly requeued: number;
  /** How many of `requeued` are at parked hosts, where they wait. */
  readonly atParked: number;
  /** Letters not redriven: 401 and 403 within their seven days. */
  readonly resting: number;
  /** When the first resting letter may be redriven, in milliseconds since 1970; null: no letter rests. */
  readonly notBefore: number | null;
  /** Letters not redriven because their crawl does not go on. */
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

/** What redriving did, for people. */
export function redrivenSentence({ requeued, atParked, resting, notBefore, barred }: RedriveCounts): string {
  const letters = (count: number): string =>
    count === 1 ? '1 dead letter' : `${String(count)} dead letters`;
  const are = (count: number): string => (count === 1 ? 'is' : 'are');
  const parts = [`${letters(requeued)} ${are(requeued)} queued again`];
  if (atParked > 0) parts.push(`${String(atParked)} of them wait at parked hosts`);
  if (resting > 0 && notBefore !== null) {
    const when = new Date(notBefore).toISOString();
    parts.push(
      `${letters(resting)} of class forbidden ${are(resting)} left alone until 7 days after the answer, the first until ${when}`,
    );
  }
  if (barred > 0) parts.push(`${letters(barred)} of crawls that cannot go on stay as they are`);
  return parts.join('; ');
}
