/**
 * Ctrl-C and similar signals, and a reader that closes the pipe: the first asks for an orderly end, the second for an
 * end at once.
 */

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const;

export interface Interrupts {
  /** Aborted at the first. */
  readonly first: AbortSignal;
  /** Aborted at the second. */
  readonly second: AbortSignal;
  /** Gives the signals their default effect again. */
  release(): void;
}

export function listenForInterrupts(): Interrupts {
  const first = new AbortController();
  const second = new AbortController();
  const hear = (): void => {
    (first.signal.aborted ? second : first).abort();
  };
  for (const signal of signals) process.on(signal, hear);
  return {
    first: first.signal,
    second: second.signal,
    release: () => {
      for (const signal of signals) process.off(signal, hear);
    },
  };
}

/** Resolves once the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener('abort', () => {
        resolve();
      });
  });
}
