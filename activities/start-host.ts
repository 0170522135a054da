/** Starts a host's workflow, or wakes it if it runs: the caller need not know which. */
import type { WorkflowClient } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import type { FetchActivities } from '../contracts/activities.ts';
import { hostWorkflowId, lostVisitSignal, wakeSignal } from '../contracts/workflows.ts';
import { hostWorkflow } from './open-workflows.ts';

const visitActivity: keyof FetchActivities = 'fetchSlice';

export type HostStarter = Pick<WorkflowClient, 'signalWithStart'>;

/** @param spent why the host's retries are spent, so that it parks at once. Absent: the host is visited. */
export async function startHost(
  workflows: HostStarter,
  hostId: string,
  origin: string,
  spent?: string,
): Promise<void> {
  const input = { hostId, origin, ...(spent !== undefined && { spent }) };
  await workflows.signalWithStart('host', { ...hostWorkflow(input), signal: wakeSignal });
}

/** A visit takes its lease within a moment, so a started one without a lease after so many milliseconds is lost. */
const leaselessMs = 15_000;
/** PENDING_ACTIVITY_STATE_STARTED of Temporal's API. */
const started = 2;

/** Between two attempts a visit waits for no longer than this because of a fault of ours (workflows/calls.ts). */
const longestOfOursMs = 60_000;

/**
 * Does the workflow of a host that nobody has a lease of, and that may be visited, wait in vain? Either for a visit that
 * was begun long ago: the task never reached its worker, or its result never reached the server. Or for the next attempt,
 * which Temporal makes much later: the host's wait was shortened (`letOthersAsk`), and a crash came before the workflow was
 * told. A visit that waits for a free slot was not begun.
 */
export async function isStuck(
  workflows: Pick<WorkflowClient, 'getHandle'>,
  origin: string,
  forMs = leaselessMs,
): Promise<boolean> {
  try {
    const { raw } = await workflows.getHandle(hostWorkflowId(origin)).describe();
    const inMs = (seconds: unknown): number => Number(seconds) * 1_000 - Date.now();
    return (raw.pendingActivities ?? []).some(
      ({ activityType, state, lastStartedTime: since, nextAttemptScheduleTime: next }) =>
        activityType?.name === visitActivity &&
        ((Number(state) === started && inMs(since?.seconds ?? Infinity) < -forMs) ||
          inMs(next?.seconds ?? -Infinity) > longestOfOursMs),
    );
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Tells a host's workflow that the worker of its visit is gone. @param lease as in `lostVisitSignal` */
export async function loseVisit(
  workflows: HostStarter,
  hostId: string,
  origin: string,
  lease: number | null,
): Promise<void> {
  const to = hostWorkflow({ hostId, origin });
  await workflows.signalWithStart('host', { ...to, signal: lostVisitSignal, signalArgs: [lease] });
}
