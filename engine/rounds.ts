/** Looks that a process takes beside its other work, one after another. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks at once, and again `everyMs` milliseconds after each look has ended. A look that fails is no reason to stop.
 * Goes on until the returned function is called, which waits for the look under way.
 */
export function inRounds(
  everyMs: number,
  look: () => Promise<void>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const ended = new AbortController();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      await look().catch(onError);
      await sleep(everyMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return () => {
    ended.abort();
    return looking;
  };
}
