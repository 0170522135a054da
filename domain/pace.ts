/**
 * How often a host may be asked (docs/design.md, "Politeness"). All times in milliseconds.
 * Three clocks stay apart and meet in `earliestStart`: the delay after the last request, the host's own `notBefore`
 * (Retry-After, backoff), and the lease (lease.ts).
 */

/** One request a second, where nobody says otherwise. */
export const defaultDelayMs = 1_000;

/** A delay is never longer than a day, whoever asks for it: beyond that the host is out of reach, not polite to. */
export const maxDelayMs = 86_400_000;

/** What a host's common pace is made of: nothing in it is a tenant's to set. */
export interface HostDelaySources {
  /** What an operator set for this host; it stands for robots.txt and default. */
  readonly operatorMs: number | null;
  /** robots.txt Crawl-delay for our product token. */
  readonly robotsMs: number | null;
  /** What crawls ask for that have an operator's leave to undercut the default (not robots.txt). */
  readonly leavesMs: readonly number[];
  /** The delay is doubled this many times after trouble. */
  readonly slowdown: number;
}

/** The delay between any two requests of a host, whichever crawls they are for. */
export function hostDelayMs({ operatorMs, robotsMs, leavesMs, slowdown }: HostDelaySources): number {
  const base = operatorMs ?? robotsMs ?? Math.min(defaultDelayMs, ...leavesMs);
  return slowedMs(base, slowdown);
}

/** What the turns of one crawl at a host are spaced by. */
export interface CrawlDelaySources {
  readonly operatorMs: number | null;
  /** The longest robots.txt Crawl-delay for any name the crawl goes by. */
  readonly robotsMs: number | null;
  /** What the crawl asks for; null: nothing. */
  readonly askedMs: number | null;
  /** It has an operator's leave to undercut the default. */
  readonly leave: boolean;
  readonly slowdown: number;
}

/**
 * The delay between two requests of one crawl at a host: the longer of what it asks for and what holds without it. It
 * binds the crawl's own turns; those of others are spaced by theirs, and all together by the host's.
 */
export function crawlDelayMs(sources: CrawlDelaySources): number {
  const { operatorMs, robotsMs, askedMs, leave, slowdown } = sources;
  const least = operatorMs ?? robotsMs ?? (leave && askedMs !== null ? 0 : defaultDelayMs);
  return slowedMs(Math.max(least, askedMs ?? 0), slowdown);
}

const slowedMs = (base: number, slowdown: number): number =>
  Math.min(slowdown === 0 ? base : Math.max(base, defaultDelayMs) * 2 ** slowdown, maxDelayMs);

/** When the head of a response came, and when the exchange was over. */
export interface Exchanged {
  readonly headAt: number;
  readonly endAt: number;
}

/**
 * When the next request may start, on the clock of `headAt` and `endAt`. The delay counts from the head of the last
 * response: the request has reached the host by then, so the host sees gaps of at least the delay, however long
 * connecting took; and never before the last exchange is over.
 */
export const earliestStart = (last: Exchanged, delayMs: number): number =>
  Math.max(last.headAt + delayMs, last.endAt);

/** The delay doubles at most this often: 2^10 × 1 s ≈ 17 min. */
const maxSlowdown = 10;
/** Clean answers that take back one doubling, complaints among them or not. */
const cleanStretch = 20;
/** So does a time without a complaint, whether anything is asked or not. */
export const easeMs = 600_000;
/** Counters stop here. */
const mostCounted = 10_000;

/** What a host has taught with its complaints, 429 and 503. Times are milliseconds on any one clock. */
export interface Manners {
  readonly slowdown: number;
  /** Clean answers since the slowdown last changed. */
  readonly clean: number;
  /** Clean answers since the last complaint. */
  readonly sinceComplaint: number;
  /** When the host last complained; later, where time alone has taken doublings back since. Null: it has not. */
  readonly complainedAt: number | null;
}

export const noManners: Manners = { slowdown: 0, clean: 0, sinceComplaint: 0, complainedAt: null };

export interface Complaint {
  /** The pause that the host asks for, or that it gets where it names none. */
  readonly pauseMs: number;
  /** One page alone complains so far: the delay is doubled once, and no further. */
  readonly mild: boolean;
}

/**
 * After 429 or 503. The first complaint doubles the delay. A further one doubles it again where the pauses that the host
 * asks for take more than half of the time between them: it wants a longer delay. Where they take less, it gets what it
 * wants by the pauses alone, and no complaint now and then slows it down for ever. Complaints in a row, with no clean
 * answer in between, are left to the backoff.
 * @param delayMs in force
 */
export function slowDown(manners: Manners, complaint: Complaint, delayMs: number, now: number): Manners {
  const { slowdown, clean, sinceComplaint } = manners;
  const tooFast = sinceComplaint > 0 && 2 * complaint.pauseMs >= (sinceComplaint + 1) * delayMs;
  const steps = slowdown === 0 || (tooFast && !complaint.mild);
  return {
    slowdown: steps ? Math.min(slowdown + 1, maxSlowdown) : slowdown,
    clean: steps ? 0 : clean,
    sinceComplaint: 0,
    complainedAt: now,
  };
}

/** After an answer without complaint. */
export function easeUp(manners: Manners): Manners {
  const sinceComplaint = Math.min(manners.sinceComplaint + 1, mostCounted);
  const clean = manners.clean + 1;
  if (manners.slowdown > 0 && clean >= cleanStretch)
    return { ...manners, slowdown: manners.slowdown - 1, clean: 0, sinceComplaint };
  return { ...manners, clean: Math.min(clean, mostCounted), sinceComplaint };
}

/** As time alone eases it up. */
export function easedByTime(manners: Manners, now: number): Manners {
  const { slowdown, complainedAt } = manners;
  if (slowdown === 0 || complainedAt === null) return manners;
  const steps = Math.min(Math.floor((now - complainedAt) / easeMs), slowdown);
  if (steps <= 0) return manners;
  return { ...manners, slowdown: slowdown - steps, clean: 0, complainedAt: complainedAt + steps * easeMs };
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
