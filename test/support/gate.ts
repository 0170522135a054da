/** Answers that a test keeps back: whoever waits for one is still under way, however busy the machine is. */
import type { Answer } from '../integration/activities/site.ts';

export interface Gate {
  /** Resolves once it is open. */
  readonly opened: Promise<void>;
  /** Answers as `answer`, but not before the gate is open. */
  behind(answer: Answer): Answer;
  open(): void;
}

export function closedGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return {
    opened: promise,
    behind:
      (answer) =>
      (...asked) =>
        void promise.then(() => answer(...asked)),
    open: () => resolve(undefined),
  };
}
