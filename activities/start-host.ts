/** Starts a host's workflow, or wakes it if it runs: the caller need not know which. */
import type { WorkflowClient } from '@temporalio/client';
import { wakeSignal } from '../contracts/workflows.ts';
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
