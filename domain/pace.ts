/**
 * How often a host may be asked (docs/design.md §6). All times in milliseconds.
 * Three clocks stay apart and meet in `earliestStart`: the delay after the last request, the host's own `notBefore`
 * (Retry-After, backoff), and the lease (lease.ts).
 */

/** One request a second, where nobody says otherwise. */
export const defaultDelayMs = 1_000;

/** A delay is never longer than a day, whoever asks for it: beyond that the host is out of reach, not polite to. */
export const maxDelayMs = 86_400_000;

export interface DelaySources {
  /** What an operator set for this host; it wins over everything. */
  readonly operatorMs: number | null;
  /** What each crawl with work at this host asks for; null: nothing. */
  readonly crawlsMs: readonly (number | null)[];
  /** robots.txt Crawl-delay for our agent. */
  readonly robotsMs: number | null;
  /** The delay is doubled this many times after trouble. */
  readonly slowdown: number;
}

/** The delay in force. Where crawls disagree the most polite wins; Crawl-delay replaces the default. */
export function effectiveDelayMs(sources: DelaySources): number {
  const unset = sources.robotsMs ?? defaultDelayMs;
  const asked = sources.crawlsMs.length === 0 ? [null] : sources.crawlsMs;
  const base = sources.operatorMs ?? Math.max(...asked.map((delay) => delay ?? unset));
  const slowed = sources.slowdown === 0 ? base : Math.max(base, defaultDelayMs) * 2 ** sources.slowdown;
  return Math.min(slowed, maxDelayMs);
}

/**
 * When the next request may start, on the clock of `headAt` and `endAt`. The delay counts from the head of the last
 * response: the request has reached the host by then, so the host sees gaps of at least the delay, however long
 * connecting took; and never before the last exchange is over.
 */
export const earliestStart = (last: { headAt: number; endAt: number }, delayMs: number): number =>
  Math.max(last.headAt + delayMs, last.endAt);

/** The delay doubles at most this often: 2^10 × 1 s ≈ 17 min. */
const maxSlowdown = 10;
/** Clean answers in a row that take back one doubling. */
const cleanStretch = 20;

export interface Manners {
  readonly slowdown: number;
  readonly clean: number;
}

/** After 429 or 503: twice the delay. */
export const slowDown = (manners: Manners): Manners => ({
  slowdown: Math.min(manners.slowdown + 1, maxSlowdown),
  clean: 0,
});

/** After an answer without complaint: one step back for each clean stretch. */
export function easeUp(manners: Manners): Manners {
  if (manners.slowdown === 0) return { slowdown: 0, clean: 0 };
  const clean = manners.clean + 1;
  return clean < cleanStretch ? { ...manners, clean } : { slowdown: manners.slowdown - 1, clean: 0 };
}
