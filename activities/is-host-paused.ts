/** Has an operator paused a host's workflow? What it says of itself is looked at, not the list of workflows, which lags. */
import { WorkflowNotFoundError, type WorkflowClient } from '@temporalio/client';
import { hostWorkflowId } from '../contracts/workflows.ts';

export async function isHostPaused(
  workflows: Pick<WorkflowClient, 'getHandle'>,
  origin: string,
): Promise<boolean> {
  try {
    const { status, typedSearchAttributes } = await workflows.getHandle(hostWorkflowId(origin)).describe();
    const state = typedSearchAttributes.getAll().find(({ key }) => key.name === 'CrawlState')?.value;
    return status.name === 'RUNNING' && state === 'paused';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
