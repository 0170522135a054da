/** Starts a host's workflow, or wakes the one that runs: which of the two makes no difference to the caller. */
import type { WorkflowClient } from '@temporalio/client';
import { hostWorkflowId, taskQueues, wakeSignal } from '../contracts/workflows.ts';

export type HostStarter = Pick<WorkflowClient, 'signalWithStart'>;

/** @param spent why its retries are spent: it parks at once. Absent: it is visited. */
export async function startHost(
  workflows: HostStarter,
  hostId: string,
  origin: string,
  spent?: string,
): Promise<void> {
  await workflows.signalWithStart('host', {
    workflowId: hostWorkflowId(origin),
    taskQueue: taskQueues.control,
    args: [{ hostId, origin, ...(spent !== undefined && { spent }) }],
    signal: wakeSignal,
    workflowTaskTimeout: '5 seconds',
    memo: { host: origin },
    staticSummary: origin,
  });
}
