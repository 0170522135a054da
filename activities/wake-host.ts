/** Wakes a host's workflow, if there is one, because something has changed that the workflow does not see by itself. */
import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import { hostWorkflowId, wakeSignal } from '../contracts/workflows.ts';

/** If no workflow is open, nothing happens: the scheduler starts one when there is work. */
export async function wakeHost(workflows: Pick<WorkflowClient, 'getHandle'>, origin: string): Promise<void> {
  try {
    await workflows.getHandle(hostWorkflowId(origin)).signal(wakeSignal);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
