/** When an event is sent again to a receiver that did not take it, and when it is given up. Pure. */

/** Attempts at an event; together they take 27 hours. */
export const webhookAttempts = 12;
/** Events in a row that are given up before a webhook is disabled. */
export const mostGivenUp = 100;
/** Milliseconds a receiver can ask to be left alone for at most. */
export const maxAskedMs = 6 * 3_600_000;

const firstMs = 10_000;
const maxMs = 6 * 3_600_000;
const maxRestMs = 10 * 60_000;

/**
 * Milliseconds between an attempt (from 1) that failed and the next one at the same event: 10 s, three times as long
 * each time, six hours at most.
 * @param scale 1; less in tests
 */
export function retryDelayMs(attempt: number, scale = 1): number {
  return Math.min(firstMs * 3 ** (Math.max(attempt, 1) - 1), maxMs) * scale;
}

/**
 * Milliseconds for which a receiver is left alone altogether after `failures` attempts in a row that failed, at
 * whatever event: a second, doubled each time, ten minutes at most, or as long as it asks for, six hours at most.
 * @param askedMs by Retry-After; null: it did not ask
 */
export function restMs(failures: number, askedMs: number | null, scale = 1): number {
  const own = Math.min(1_000 * 2 ** Math.min(Math.max(failures, 1) - 1, 20), maxRestMs) * scale;
  return Math.max(own, Math.min(askedMs ?? 0, maxAskedMs));
}
