/** Starts a host's workflow, or wakes it if it runs: the caller need not know which. */
import type { WorkflowClient } from '@temporalio/client';
import { hostWorkflowId, taskQueues, wakeSignal } from '../contracts/workflows.ts';

export type HostStarter = Pick<WorkflowClient, 'signalWithStart'>;

/** @param spent why the host's retries are spent, so that it parks at once. Absent: the host is visited. */
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
