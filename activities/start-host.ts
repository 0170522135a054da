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

/** The longest pause between two attempts of a visit after a fault of ours (workflows/calls.ts). */
const longestPauseMs = 60_000;

/**
 * Does the workflow of a host wait in vain? The caller has seen that nobody has a lease of the host, and that it may be
 * visited. The workflow may wait for a visit that began long ago: the task never reached its worker, or its result never
 * reached the server. Or it waits for the next attempt, which Temporal makes much later: the host's wait was shortened
 * (`letOthersAsk`), and a crash came before the workflow was told. A visit that waits for a free slot has not begun.
 */
export async function isStuck(
  workflows: Pick<WorkflowClient, 'getHandle'>,
  origin: string,
  forMs = leaselessMs,
): Promise<boolean> {
  try {
    const { raw } = await workflows.getHandle(hostWorkflowId(origin)).describe();
    const msUntil = (seconds: unknown): number => Number(seconds) * 1_000 - Date.now();
    return (raw.pendingActivities ?? []).some(
      ({ activityType, state, lastStartedTime: since, nextAttemptScheduleTime: next }) =>
        activityType?.name === visitActivity &&
        ((Number(state) === started && msUntil(since?.seconds ?? Infinity) < -forMs) ||
          msUntil(next?.seconds ?? -Infinity) > longestPauseMs),
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
