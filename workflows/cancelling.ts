/**
 * "Request Cancellation" in Temporal Web. In a workflow that ignored it, all later timers and activities would fail at
 * once. So each workflow does one of two things: it ends, after its activities have ended, or it shields itself and
 * gives the cancellation a meaning of its own (table in docs/operations.md, "What the buttons of Temporal Web do").
 */
import { CancellationScope, CancelledFailure, isCancellation } from '@temporalio/workflow';

/**
 * For activity calls of a workflow that ends when it is cancelled. If an activity is failing when it is cancelled, the
 * server stops its retries and returns its last failure. This function turns that failure into a cancellation.
 */
export async function orCancelled<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isCancellation(error) || !CancellationScope.current().consideredCancelled) throw error;
    throw new CancelledFailure('cancelled while it failed', [], error instanceof Error ? error : undefined);
  }
}

/** Runs a workflow that cancellation does not interrupt; `told` is called when cancellation is requested. */
export function heedingCancellation<T>(told: () => void, run: () => Promise<T>): Promise<T> {
  CancellationScope.current().cancelRequested.catch(told);
  return CancellationScope.nonCancellable(run);
}

/** A message handler that cancellation of its workflow does not interrupt. */
export const uncut =
  <A extends unknown[], R>(handler: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    CancellationScope.nonCancellable(() => handler(...args));
