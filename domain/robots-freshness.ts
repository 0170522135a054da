/** For how long a copy of robots.txt is used before it is requested again (RFC 9309 §2.4). Milliseconds. */

const dayMs = 24 * 3_600_000;
/** A number of seconds longer than any that counts: the difference of two endless ones is no number. */
const mostSeconds = 1e9;
/** Hosts that allow no copy at all are asked no more often than this. */
const leastMs = 600_000;

/**
 * What the answer says of how long it may be kept (RFC 9111 §5.2.2), from ten minutes to a day; null: nothing. The time
 * that the answer has lain in a cache on the way is over already (Age, §5.1).
 * @param headers by lower-case name
 */
export function robotsKeptMs(headers: Readonly<Record<string, string>>): number | null {
  const says = (headers['cache-control'] ?? '').toLowerCase();
  if (/(?:^|[\s,])no-(?:cache|store)(?=$|[\s,])/.test(says)) return leastMs;
  const [, seconds] = /(?:^|[\s,])max-age="?(\d+)/.exec(says) ?? [];
  if (seconds === undefined) return null;
  const [age = '0'] = /^\d+/.exec(headers['age'] ?? '') ?? [];
  return Math.min(Math.max((clamped(seconds) - clamped(age)) * 1_000, leastMs), dayMs);
}

const clamped = (seconds: string): number => Math.min(Number(seconds), mostSeconds);

/**
 * Milliseconds for which a copy is fresh: a day, unless its answer says less, and the delay in force at the host.
 * Otherwise a host that allows one request a day would be asked for robots.txt and nothing else.
 * @param keptMs what the answer said (`robotsKeptMs`)
 */
export const robotsFreshMs = (delayMs: number, keptMs: number | null = null): number =>
  (keptMs ?? dayMs) + delayMs;
