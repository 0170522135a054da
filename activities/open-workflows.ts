/** Tells a workflow that there is something to do, and opens it where it has ended, or never was. */
import type { WorkflowClient } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  crawlWorkflowId,
  editedSignal,
  editWorkflowId,
  hostWorkflowId,
  reopenCrawlSignal,
  schedulerWorkflowId,
  taskQueues,
  type HostInput,
} from '../contracts/workflows.ts';

type Opener = Pick<WorkflowClient, 'signalWithStart'>;
type Starter = Pick<WorkflowClient, 'start'>;

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
    args: [{ crawlId }],
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

/** How the workflow of a host is called and described, whoever starts it. */
const hostWorkflow = (input: HostInput) => ({
  workflowId: hostWorkflowId(input.origin),
  taskQueue: taskQueues.control,
  args: [input] as [HostInput],
  workflowTaskTimeout,
  memo: { host: input.origin },
  staticSummary: input.origin,
});

/** The workflows of these, where they have none; one that runs is not told anything. True: there was none. */
export const startMissing = {
  crawl: (workflows: Starter, crawlId: string, taskQueue: string = taskQueues.crawl) =>
    isNew(workflows.start('crawl', { workflowId: crawlWorkflowId(crawlId), taskQueue, args: [{ crawlId }], workflowTaskTimeout })), // prettier-ignore
  edit: (workflows: Starter, crawlId: string) =>
    isNew(workflows.start('edit', { workflowId: editWorkflowId(crawlId), taskQueue: taskQueues.crawl, args: [{ crawlId }], workflowTaskTimeout })), // prettier-ignore
  host: (workflows: Starter, hostId: string, origin: string) =>
    isNew(workflows.start('host', hostWorkflow({ hostId, origin, adopted: true }))),
  scheduler: (workflows: Starter, shard: number) =>
    isNew(workflows.start('scheduler', { workflowId: schedulerWorkflowId(shard), taskQueue: taskQueues.crawl, args: [{ shard }], workflowTaskTimeout })), // prettier-ignore
};

async function isNew(started: Promise<unknown>): Promise<boolean> {
  try {
    await started;
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}
