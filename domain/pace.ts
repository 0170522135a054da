/**
 * How often a host may be asked (docs/design.md, "Politeness"). All times in milliseconds.
 * Three clocks stay apart and meet in `earliestStart`: the delay after the last request, the host's own `notBefore`
 * (Retry-After, backoff), and the lease (lease.ts).
 */

/** One request a second, unless a setting or robots.txt says otherwise. */
export const defaultDelayMs = 1_000;

/** A delay is never longer than a day, whoever asks for it: a longer one would put the host out of reach. */
export const maxDelayMs = 86_400_000;

/** What the host's delay between any two requests is made of. No tenant can set any of it. */
export interface HostDelaySources {
  /** What an operator set for this host, in place of robots.txt and the default; null: nothing. */
  readonly operatorMs: number | null;
  /** Crawl-delay of robots.txt for our product token; null: none. */
  readonly robotsMs: number | null;
  /** What crawls ask for that an operator lets go below the default (not below robots.txt). */
  readonly hurriedMs: readonly number[];
  /** How many times the delay is doubled after complaints. */
  readonly slowdown: number;
}

/** The delay between any two requests to a host, whichever crawls they are for. */
export function hostDelayMs({ operatorMs, robotsMs, hurriedMs, slowdown }: HostDelaySources): number {
  const base = operatorMs ?? robotsMs ?? Math.min(defaultDelayMs, ...hurriedMs);
  return slowedMs(base, slowdown);
}

/** What the delay between two turns of one crawl at a host is made of. */
export interface CrawlDelaySources {
  readonly operatorMs: number | null;
  /** The longest robots.txt Crawl-delay for any name the crawl goes by. */
  readonly robotsMs: number | null;
  /** What the crawl asks for; null: nothing. */
  readonly askedMs: number | null;
  /** An operator lets the crawl go below the default. */
  readonly mayHurry: boolean;
  readonly slowdown: number;
}

/**
 * The delay between two requests of one crawl at a host: the longer of what the crawl asks for and what else holds.
 * This delay spaces only the crawl's own turns. Other crawls have their own, and the host's delay spaces all requests
 * together.
 */
export function crawlDelayMs(sources: CrawlDelaySources): number {
  const { operatorMs, robotsMs, askedMs, mayHurry, slowdown } = sources;
  const least = operatorMs ?? robotsMs ?? (mayHurry && askedMs !== null ? 0 : defaultDelayMs);
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
 * When the next request may start, on the clock of `headAt` and `endAt`; never before the last exchange is over. The
 * delay counts from the head of the last response: the request had reached the host by then, so the host sees gaps of
 * at least the delay, however long connecting took.
 */
export const earliestStart = (last: Exchanged, delayMs: number): number =>
  Math.max(last.headAt + delayMs, last.endAt);

/** Most doublings of the delay: 2^10 × 1 s ≈ 17 min. */
const maxSlowdown = 10;
/** This many clean answers take back one doubling, whether or not complaints come between them. */
const cleanStretch = 20;
/** Milliseconds without a complaint that take back one doubling, whether or not anything is requested. */
export const easeMs = 600_000;
/** Counters of clean answers stop at this value. */
const mostCounted = 10_000;

/** What a host has taught by its complaints (429 and 503). Times are milliseconds on any one clock. */
export interface Manners {
  readonly slowdown: number;
  /** Clean answers since the slowdown last changed. */
  readonly clean: number;
  /** Clean answers since the last complaint. */
  readonly sinceComplaint: number;
  /** When the host last complained, moved on by `easeMs` for each doubling that time took back. Null: never. */
  readonly complainedAt: number | null;
}

export const noManners: Manners = { slowdown: 0, clean: 0, sinceComplaint: 0, complainedAt: null };

export interface Complaint {
  /** The pause in milliseconds that the host asks for; where it names none, the pause that it gets. */
  readonly pauseMs: number;
  /** Only one page complains so far: the delay is doubled once and no further. */
  readonly mild: boolean;
}

/**
 * After 429 or 503. The first complaint doubles the delay. A further complaint doubles it again if the pause that the
 * host asks for is at least half of the time since the last complaint: the host wants a longer delay. If the pause is
 * shorter, the pauses alone give the host what it wants, so occasional complaints do not slow it down for ever.
 * Complaints in a row, with no clean answer in between, are left to the backoff.
 * @param delayMs the delay in force
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

/** Takes back one doubling for each `easeMs` without a complaint. */
export function easedByTime(manners: Manners, now: number): Manners {
  const { slowdown, complainedAt } = manners;
  if (slowdown === 0 || complainedAt === null) return manners;
  const steps = Math.min(Math.floor((now - complainedAt) / easeMs), slowdown);
  if (steps <= 0) return manners;
  return { ...manners, slowdown: slowdown - steps, clean: 0, complainedAt: complainedAt + steps * easeMs };
}

/**
 * After a lease that was not returned. Clean answers that came under it are forgotten, and there may have been one since
 * the last complaint: so a complaint that follows does not count as one in a row with it.
 */
export const afterLoss = (manners: Manners): Manners =>
  manners.slowdown === 0 || manners.sinceComplaint > 0 ? manners : { ...manners, sinceComplaint: 1 };

/** The largest delay factor that may be set. */
export const maxDelayFactor = 100;

/** Milliseconds: slow answers alone make no delay longer than this. */
export const maxAdaptedMs = 300_000;

/**
 * The delay, made longer if the host was slow: at least `factor` times as long as its last answer took.
 * @param factor null: not set; @param tookMs from the request's leaving to the end of the answer; null: unknown
 */
export function adaptedDelayMs(delayMs: number, factor: number | null, tookMs: number | null): number {
  if (factor === null || tookMs === null) return delayMs;
  return Math.max(delayMs, Math.min(factor * tookMs, maxAdaptedMs));
}

/** The most requests in flight together that an operator may allow, at a host of the operator's own. */
export const maxConcurrency = 16;

/**
 * Requests that may be in flight at a host together: one, unless an operator allows more. A host in trouble, or slowed
 * down, gets one. So does a host whose last lease ended in a crash: one at a time shows which URL causes the crashes.
 */
export const lanesAt = (host: {
  readonly settings: { readonly concurrency: number | null };
  readonly slowdown: number;
  readonly failures: number;
  readonly unclean: boolean;
}): number =>
  host.slowdown > 0 || host.failures > 0 || host.unclean
    ? 1
    : Math.min(host.settings.concurrency ?? 1, maxConcurrency);
