/**
 * Trouble of a host as a whole: how long to leave it alone, and when its retries are spent so that it parks
 * (docs/design.md, "Trouble"). Failures are counted in a row and survive restarts in the host's row.
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

/** Trouble in which the host has said nothing: however long it is left alone then, it did not ask for it. */
export const unansweredTroubles = [
  'dns-not-found',
  'dns-unavailable',
  'connect-refused',
  'connect-timeout',
  'tls',
  'timeout',
] as const satisfies readonly TroubleClass[];

interface TroubleRule {
  /** Milliseconds after the first failure; doubled for each further one. */
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
  // How long an outage lasts, server-errors.ts says.
  'server-errors': { firstMs: 3_600 * second, tries: 8 },
  'robots-unreachable': { firstMs: 5 * second, tries: 6 },
};

const longestMs = 86_400_000;

/** Milliseconds to leave the host alone after one more failure. @param failures in a row, before this one. */
export const backoffMs = (trouble: TroubleClass, failures: number): number =>
  Math.min(rules[trouble].firstMs * 2 ** Math.min(failures, 20), longestMs);

/** Has the host had its tries? @param failures in a row, this one included. */
export const isSpent = (trouble: TroubleClass, failures: number): boolean => failures >= rules[trouble].tries;

/** By how much of itself the wait for a probe is longer or shorter. */
const probeSpread = 0.15;

/**
 * Milliseconds until a parked host is asked once more whether it answers again: doubled by each probe that found
 * nothing, up to about a day. Spread by chance, so that hosts that parked together are not all asked together.
 * @param firstMs before the first one; @param failed probes since a page of it was last fetched; @param chance 0 to 1
 */
export const probeWaitMs = (firstMs: number, failed: number, chance: number): number =>
  Math.round(Math.min(firstMs * 2 ** Math.min(failed, 20), longestMs) * (1 + probeSpread * (2 * chance - 1)));
