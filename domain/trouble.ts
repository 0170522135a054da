/**
 * Trouble of a host as a whole: how long to leave the host alone, and when its retries are spent so that it parks
 * (docs/design.md, "Trouble"). Failures in a row are counted in the host's row, so the count survives restarts.
 */
export const troubleClasses = [
  'dns-not-found',
  'dns-unavailable',
  'connect-refused',
  'connect-timeout',
  'tls',
  'timeout',
  'reset',
  'overloaded',
  'server-errors',
  'robots-unreachable',
] as const;
export type TroubleClass = (typeof troubleClasses)[number];

/** Trouble in which the host said nothing: the host did not ask for the backoff that follows. */
export const unansweredTroubles = [
  'dns-not-found',
  'dns-unavailable',
  'connect-refused',
  'connect-timeout',
  'tls',
  'timeout',
] as const satisfies readonly TroubleClass[];

interface TroubleRule {
  /** Milliseconds to wait after the first failure; doubled for each further failure. */
  readonly firstMs: number;
  /** Failures in a row after which the host parks. */
  readonly tries: number;
}

const second = 1_000;
const rules: Readonly<Record<TroubleClass, TroubleRule>> = {
  'dns-not-found': { firstMs: 2 * second, tries: 3 },
  'dns-unavailable': { firstMs: 2 * second, tries: 8 },
  'connect-refused': { firstMs: 2 * second, tries: 5 },
  'connect-timeout': { firstMs: 5 * second, tries: 4 },
  tls: { firstMs: 5 * second, tries: 2 },
  timeout: { firstMs: 5 * second, tries: 5 },
  reset: { firstMs: 5 * second, tries: 5 },
  overloaded: { firstMs: 5 * second, tries: 10 },
  // host-memory.ts says how long an outage lasts.
  'server-errors': { firstMs: 3_600 * second, tries: 8 },
  'robots-unreachable': { firstMs: 5 * second, tries: 6 },
};

const longestMs = 86_400_000;

/** Milliseconds to leave the host alone after one more failure. @param failures in a row, before this one. */
export const backoffMs = (trouble: TroubleClass, failures: number): number =>
  Math.min(rules[trouble].firstMs * 2 ** Math.min(failures, 20), longestMs);

/**
 * Milliseconds for which a tenant has no turns at a host, where URLs of this tenant alone have shown trouble.
 * @param waitMs for which the host would be left alone
 * @param times holds in a row, with no good answer to the tenant in between, this one included
 */
export const holdMs = (waitMs: number, times: number): number =>
  Math.max(waitMs, Math.min(waitMs * 2 ** Math.min(times - 1, 20), longestMs));

/** Has the host had its tries? @param failures in a row, this one included. */
export const isSpent = (trouble: TroubleClass, failures: number): boolean => failures >= rules[trouble].tries;

/** The wait for a probe is longer or shorter by up to this share of itself. */
const probeSpread = 0.15;

/**
 * Milliseconds until the next probe of a parked host: doubled by each probe that failed, up to about a day. Spread at
 * random, so that hosts that parked together are not all probed together.
 * @param firstMs before the first probe; @param failed failed probes since a page of the host was last fetched
 * @param chance a random number from 0 to 1
 */
export const probeWaitMs = (firstMs: number, failed: number, chance: number): number =>
  Math.round(Math.min(firstMs * 2 ** Math.min(failed, 20), longestMs) * (1 + probeSpread * (2 * chance - 1)));
