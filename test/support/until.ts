/** Waiting for a condition, which is what tests do instead of sleeping. */
import { setTimeout as delay } from 'node:timers/promises';

/** @throws if the condition is still false after `ms`, which is long enough for the busiest of machines */
export const until = async (what: string, condition: () => unknown, ms = 120_000): Promise<void> => {
  const deadline = performance.now() + ms;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${String(ms)} ms: ${what}`);
    await delay(30);
  }
};
