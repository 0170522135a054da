/** Runs the fetch activity of a host's workflow so that messages can end it, and so that its loss is noticed. */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { HostInRegion, VisitRegion } from '../contracts/activities.ts';
import { failureTypes } from '../contracts/failures.ts';
import { cutVisit, fetchersOf } from './calls.ts';
import type { HostState } from './host-state.ts';

/**
 * As `visiting`, by workers of the region where visits of the host go. Null as well: a worker has named another region, or
 * none of the region took the visit in time, so that it is to be chosen anew. The caller asks again.
 */
export async function visitingFromRegion<R extends { readonly region?: VisitRegion }>(
  host: HostState,
  ask: (fetchers: ReturnType<typeof fetchersOf>, host: HostInRegion) => Promise<R>,
): Promise<R | null> {
  const { region } = host.carried;
  const where = region !== undefined && { region: { name: region.name, chosen: host.isRegionChosen } };
  host.isRegionChosen = false;
  try {
    const result = await visiting(host, () => ask(fetchersOf(region), { ...host.me, ...where }));
    if (result?.region === undefined) return result;
    host.sendTo(result.region);
  } catch (error) {
    if (!isUnstarted(error)) throw error;
    host.sendTo(undefined);
  }
  return null;
}

/**
 * Null: a message cut the visit short, or its worker is gone. A visit that is cut finishes its request in flight. A visit
 * that is lost is not waited for: its lease has run out, so if its worker wakes up, the worker sends nothing.
 */
async function visiting<T>(host: HostState, activity: () => Promise<T>): Promise<T | null> {
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

/** No worker took the activity in time. */
const isUnstarted = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === 'SCHEDULE_TO_START';
