/** Tells a workflow that there is something to do, and opens it where it has ended, or never was. */
import type { WorkflowClient } from '@temporalio/client';
import {
  crawlWorkflowId,
  editedSignal,
  editWorkflowId,
  reopenCrawlSignal,
  taskQueues,
} from '../contracts/workflows.ts';

type Opener = Pick<WorkflowClient, 'signalWithStart'>;

/** A killed worker's task is given to the next one after this, not after the default 10 s. */
const workflowTaskTimeout = '5 seconds';

/** A crawl that had ended has something to fetch again. */
export async function reopenCrawl(
  workflows: Opener,
  crawlId: string,
  taskQueue: string = taskQueues.crawl,
): Promise<void> {
  await workflows.signalWithStart('crawl', {
    workflowId: crawlWorkflowId(crawlId),
    taskQueue,
    args: [{ crawlId, reopened: true }],
    signal: reopenCrawlSignal,
    workflowTaskTimeout,
  });
}

/** A version of a crawl's settings waits to be applied to its frontier. */
export async function startEdit(
  workflows: Opener,
  crawlId: string,
  taskQueue: string = taskQueues.crawl,
): Promise<void> {
  await workflows.signalWithStart('edit', {
    workflowId: editWorkflowId(crawlId),
    taskQueue,
    args: [{ crawlId }],
    signal: editedSignal,
    workflowTaskTimeout,
  });
}
