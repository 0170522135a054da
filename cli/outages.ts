/** Waits while the API, or Postgres behind it, does not answer: the crawl goes on once both are back. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass } from './api-request.ts';
import type { Say } from './say.ts';

/** Milliseconds between two tries, until people are told of the outage, and until the wait is given up. */
const retryMs = 500;
const tellMs = 5_000;
const patienceMs = 10 * 60_000;

/** Asks again as long as the trouble may pass. Null: the signal ended the wait. @throws the error of the last try */
export type Outlast = <T>(ask: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

/** All callers of the returned function share one outage, so that people are told of it once. */
export function createOutlast(say: Say, now = (): number => performance.now()): Outlast {
  let since: number | null = null;
  let told = false;
  return async (ask, signal) => {
    // The signal may be aborted while the API is asked.
    const isEnded = (): boolean => signal.aborted;
    while (!isEnded()) {
      try {
        const answer = await ask();
        if (told) say('The crawl can be seen again.');
        [since, told] = [null, false];
        return answer;
      } catch (error) {
        if (isEnded()) break;
        if (!mayPass(error)) throw error;
        since ??= now();
        if (now() - since > patienceMs) throw error;
        if (!told && now() - since > tellMs) {
          told = true;
          say(`The crawl cannot be seen now; trying again for up to ten minutes. ${error.message}`);
        }
      }
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
    return null;
  };
}
