/** Runs the fetch activity of a host's workflow so that messages can end it, and so that its loss is noticed. */
import { ActivityFailure, ApplicationFailure, CancellationScope, isCancellation } from '@temporalio/workflow';
import { failureTypes } from '../contracts/failures.ts';
import { cutVisit } from './calls.ts';
import type { HostState } from './host-state.ts';

/**
 * Null: a message cut the visit short, or its worker is gone. A visit that is cut finishes its request in flight. A visit
 * that is lost is not waited for: its lease has run out, so if its worker wakes up, the worker sends nothing.
 */
export async function visiting<T>(host: HostState, activity: () => Promise<T>): Promise<T | null> {
  const scope = new CancellationScope({ cancellable: true });
  const lost = Promise.withResolvers<null>();
  let cutting: Promise<void> | undefined;
  host.visit = {
    // The cancellation ends a visit that waits for its next attempt; `cutVisit` ends one that runs.
    cut: () => {
      scope.cancel();
      cutting ??= CancellationScope.nonCancellable(() => cutVisit(host.me));
    },
    lose: () => {
      lost.resolve(null);
      scope.cancel();
    },
  };
  const running = scope.run(activity);
  try {
    return await Promise.race([lost.promise, running]);
  } catch (error) {
    if (isCancellation(error)) return null;
    // If a visit is failing when it is cancelled, the server stops its retries and returns its last failure.
    if (scope.consideredCancelled && spentFailure(error) === null) return null;
    throw error;
  } finally {
    running.catch(() => undefined);
    host.visit = null;
    await cutting;
  }
}

/** The failure that says that the host's retries are spent; null: another error. */
export function spentFailure(error: unknown): ApplicationFailure | null {
  if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) return null;
  return error.cause.type === failureTypes.spent ? error.cause : null;
}
