/**
 * Waits `ms` milliseconds, or until the signal is aborted. Never throws.
 * @param ms 0 or less: returns at once
 * @param wakeable gets a function that ends the wait
 */
export async function sleep(
  ms: number,
  signal: AbortSignal,
  wakeable: (wake: () => void) => void = () => undefined,
): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, wholeMs(ms));
    signal.addEventListener('abort', done);
    wakeable(done);
  });
}

/**
 * Waits for as long as `next` says, in milliseconds, and then asks it again, until it says 0 or less or the signal is
 * aborted. Asks it at once. Waits of the same length, one after another, share one timer.
 * @throws what `next` throws
 */
export async function sleepBy(next: () => number, signal: AbortSignal): Promise<void> {
  let ms = next();
  if (ms <= 0 || signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    const again = (): void => {
      try {
        const more = next();
        if (more <= 0) done();
        else if (more === ms) timer.refresh();
        else timer = startTimer((ms = more));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        done();
      }
    };
    const startTimer = (forMs: number): NodeJS.Timeout => setTimeout(again, wholeMs(forMs));
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    let timer = startTimer(ms);
    signal.addEventListener('abort', done);
  });
}

/** Node counts timers in whole milliseconds and may fire a little early: rounding up keeps every delay whole. */
const wholeMs = (ms: number): number => Math.ceil(ms) + 1;
