/** Starts a host's workflow, or wakes it if it runs: the caller need not know which. */
import type { WorkflowClient } from '@temporalio/client';
import { lostVisitSignal, wakeSignal } from '../contracts/workflows.ts';
import { hostWorkflow } from './open-workflows.ts';

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
