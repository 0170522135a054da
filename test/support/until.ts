/** Waiting for a condition, which is what tests do instead of sleeping. */
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two looks: most conditions come true soon, and the others must not keep a processor busy. */
const [firstPause, longestPause, growth] = [20, 300, 1.2];

/**
 * Looks again and again, ever less often.
 *
 * @throws if the condition is still false after `ms`, which is long enough for the busiest of machines
 */
export const until = async (what: string, condition: () => unknown, ms = 120_000): Promise<void> => {
  const deadline = performance.now() + ms;
  for (let pause = firstPause; !(await condition()); pause = Math.min(longestPause, pause * growth)) {
    if (performance.now() > deadline) throw new Error(`not within ${String(ms)} ms: ${what}`);
    await delay(pause);
  }
};
