/**
 * "Request Cancellation" in Temporal Web. A workflow that did not heed it would be left with timers and activities that
 * fail at once, for ever: so each either ends by it, with its activities wound up, or is not cut off and does what it
 * means to it (docs/operations.md, "What the buttons of Temporal Web do", has the table).
 */
import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';

/**
 * The call of an activity by a workflow that ends when it is cancelled. One that is cancelled while it fails is tried no
 * more by the server, and comes back as what failed it: that is a cancellation all the same.
 */
export async function orCancelled<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isCancellation(error) || !CancellationScope.current().consideredCancelled) throw error;
    throw new CancelledFailure('cancelled while it failed', [], error instanceof Error ? error : undefined);
  }
}

/** Runs a workflow that a cancellation does not cut off: `told` is called when it is asked for. */
export function heedingCancellation<T>(told: () => void, run: () => Promise<T>): Promise<T> {
  CancellationScope.current().cancelRequested.catch(told);
  return CancellationScope.nonCancellable(run);
}

/** A handler that waits for its workflow, cancelled or not. */
export const uncut =
  <A extends unknown[], R>(handler: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    CancellationScope.nonCancellable(() => handler(...args));
