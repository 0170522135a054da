/** Waits `ms` milliseconds, or until the signal is aborted. Never throws. @param ms 0 or less: returns at once */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    // Node counts timers in whole milliseconds and may fire a little early: rounding up keeps every delay whole.
    const timer = setTimeout(done, Math.ceil(ms) + 1);
    signal.addEventListener('abort', done);
  });
}
