/** How a request waits for its time: thousands wait at the same time in one process. */
import { sleep, sleepBy } from './sleep.ts';

/** Milliseconds between two looks at a request that waits. */
const lookMs = 1_000;

/**
 * Waits until `restMs` answers 0 or less, and looks once a second whether the request is still wanted. While `stays`
 * answers at once, all looks of a wait take one timer and no promise.
 * @param restMs milliseconds that are left; they may change at any time
 * @param stays false: the request is given up
 * Answers false if the request was given up, or the signal aborted. @throws what either throws
 */
export async function untilDue(
  restMs: () => number,
  stays: () => boolean | Promise<boolean>,
  signal: AbortSignal,
): Promise<boolean> {
  const asked: { stays: boolean | Promise<boolean> } = { stays: true };
  const nextMs = (): number => {
    const ms = restMs();
    if (ms <= 0 || signal.aborted) return 0;
    asked.stays = stays();
    return asked.stays === true ? Math.min(ms, lookMs) : 0;
  };
  for (;;) {
    await sleepBy(nextMs, signal);
    if (signal.aborted || !(await asked.stays)) return false;
    const ms = restMs();
    if (ms <= 0) return true;
    await sleep(Math.min(ms, lookMs), signal);
  }
}
