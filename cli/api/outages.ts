/** Waits while the API, or Postgres behind it, does not answer, or asks for a pause. */
import { setTimeout as sleep } from 'node:timers/promises';
import { mayPass, RefusedError } from './request.ts';
import type { CommandError } from '../ending.ts';
import type { Say } from '../output/lines.ts';

/** Fewest milliseconds between two tries. */
const retryMs = 500;

export interface Patience {
  /** Milliseconds from the first failure after which the wait is given up. */
  readonly ms: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  readonly now?: () => number;
  /** Hears of each failure after which the request is tried again. @param forMs milliseconds since the first failure */
  readonly onFailure?: (error: CommandError, forMs: number) => void;
}

/**
 * Asks again while the trouble may pass, each time after the pause that the server asked for (Retry-After). @throws the
 * error of the last try, at once if the server asks for more than is left of the patience
 */
export async function askAgain<T>(
  ask: () => Promise<T>,
  { ms, signal, now = () => performance.now(), onFailure }: Patience,
): Promise<T> {
  let since: number | null = null;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const at = now();
      since ??= at;
      const waitMs = Math.max(retryMs, error instanceof RefusedError ? error.retryAfterMs : 0);
      if (at - since + waitMs > ms) throw error;
      onFailure?.(error, at - since);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal?.aborted === true) throw error;
    }
  }
}

/** Milliseconds of an outage until people are told of it, and until the wait is given up. */
const tellMs = 5_000;
const patienceMs = 10 * 60_000;

/** Asks again as long as the trouble may pass. Null: the signal ended the wait. @throws the error of the last try */
export type Outlast = <T>(ask: () => Promise<T>, signal: AbortSignal) => Promise<T | null>;

/**
 * Each call has ten minutes of its own. All callers share what people are told: of the first long outage, and of its
 * end once no call fails any more.
 */
export function createOutlast(say: Say, now = (): number => performance.now()): Outlast {
  const failing = new Set<symbol>();
  let told = false;
  return async (ask, signal) => {
    // A function: the signal may be aborted while the API is asked.
    const isEnded = (): boolean => signal.aborted;
    if (isEnded()) return null;
    const call = Symbol('a call');
    const onFailure = (error: CommandError, forMs: number): void => {
      failing.add(call);
      if (told || forMs <= tellMs) return;
      told = true;
      say(`The crawl cannot be seen now; trying again for up to ten minutes. ${error.message}`);
    };
    try {
      const answer = await askAgain(ask, { ms: patienceMs, signal, now, onFailure });
      failing.delete(call);
      if (told && failing.size === 0) {
        told = false;
        say('The crawl can be seen again.');
      }
      return answer;
    } catch (error) {
      if (isEnded()) return null;
      throw error;
    } finally {
      failing.delete(call);
    }
  };
}
