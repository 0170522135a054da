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

/** What may be asked for as a factor at most. */
export const maxDelayFactor = 100;

/** However slowly a host answers, its answers alone make no delay longer than this. */
export const maxAdaptedMs = 300_000;

/**
 * The delay, made longer where the host was slow: at least `factor` times what its last answer took.
 * @param factor null: not asked for; @param tookMs from the request's leaving to the end of the answer; null: unknown
 */
export function adaptedDelayMs(delayMs: number, factor: number | null, tookMs: number | null): number {
  if (factor === null || tookMs === null) return delayMs;
  return Math.max(delayMs, Math.min(factor * tookMs, maxAdaptedMs));
}

/** The factor in force: the operator's, else the most polite of the crawls with work here; null: nobody asks for one. */
export function factorInForce(operator: number | null, crawls: readonly (number | null)[]): number | null {
  if (operator !== null) return operator;
  const asked = crawls.filter((factor) => factor !== null);
  return asked.length === 0 ? null : Math.max(...asked);
}

/** What an operator may set for a host one owns. */
export const maxConcurrency = 16;

/**
 * Requests that may be in flight at a host together: one, unless an operator allows more. A host that is in trouble,
 * or slowed down after some, gets one; so does one that was left by a crash, or nobody could tell which URL it was.
 */
export const lanesAt = (host: {
  readonly concurrency: number | null;
  readonly slowdown: number;
  readonly failures: number;
  readonly unclean: boolean;
}): number =>
  host.slowdown > 0 || host.failures > 0 || host.unclean
    ? 1
    : Math.min(host.concurrency ?? 1, maxConcurrency);
