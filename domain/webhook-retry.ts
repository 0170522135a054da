/** When an event is sent again to a receiver that did not accept it, and when the event is given up. Pure. */

/** Most attempts to deliver one event; together they take 27 hours. */
export const webhookAttempts = 12;
/** A webhook is disabled after this many events in a row were given up. */
export const mostGivenUp = 100;
/** Longest pause in milliseconds that a receiver can ask for. */
export const maxAskedMs = 6 * 3_600_000;

const firstMs = 10_000;
const maxMs = 6 * 3_600_000;
const maxRestMs = 10 * 60_000;

/**
 * Milliseconds between failed attempt number `attempt` (from 1) and the next attempt to deliver the same event: 10 s,
 * then three times as long each time, at most six hours.
 * @param scale 1; less in tests
 */
export function retryDelayMs(attempt: number, scale = 1): number {
  return Math.min(firstMs * 3 ** (Math.max(attempt, 1) - 1), maxMs) * scale;
}

/**
 * Milliseconds for which a receiver gets no event at all after `failures` failed attempts in a row, at any events: one
 * second, doubled each time, at most ten minutes; or as long as the receiver asks for, at most six hours.
 * @param askedMs pause asked for by Retry-After; null: none
 */
export function restMs(failures: number, askedMs: number | null, scale = 1): number {
  const own = Math.min(1_000 * 2 ** Math.min(Math.max(failures, 1) - 1, 20), maxRestMs) * scale;
  return Math.max(own, Math.min(askedMs ?? 0, maxAskedMs));
}
