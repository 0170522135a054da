/** Tells a workflow that there is work, and starts it if it has ended or never ran. */
import type { WorkflowClient } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  crawlWorkflowId,
  editedSignal,
  editWorkflowId,
  exportWorkflowId,
  hostWorkflowId,
  reextractionWorkflowId,
  reopenCrawlSignal,
  schedulerWorkflowId,
  searchWorkflowId,
  taskQueues,
  wakeSignal,
  type CrawlInput,
  type HostInput,
} from '../contracts/workflows.ts';

type Opener = Pick<WorkflowClient, 'signalWithStart'>;
type Starter = Pick<WorkflowClient, 'start'>;

/** After this time, not after the default 10 s, a killed worker's task is given to another worker. */
export const workflowTaskTimeout = '5 seconds';

/** Id, queue and description of a crawl's workflow. */
const crawlWorkflow = (crawlId: string, taskQueue: string) => ({
  workflowId: crawlWorkflowId(crawlId),
  taskQueue,
  args: [{ crawlId }] as [CrawlInput],
  workflowTaskTimeout,
  staticSummary: `Crawl ${crawlId}`,
});

/** Tells a crawl's workflow that the crawl, which had ended, has URLs to fetch again. */
export async function reopenCrawl(
  workflows: Opener,
  crawlId: string,
  taskQueue: string = taskQueues.crawl,
): Promise<void> {
  await workflows.signalWithStart('crawl', {
    ...crawlWorkflow(crawlId, taskQueue),
    signal: reopenCrawlSignal,
  });
}

/** Tells the edit workflow that a version of the crawl's settings waits to be applied to the frontier. */
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

/** Has the scheduler of a shard look for due hosts now. */
export async function wakeScheduler(
  workflows: Opener,
  shard: number,
  taskQueue: string = taskQueues.crawl,
): Promise<void> {
  await workflows.signalWithStart('scheduler', {
    workflowId: schedulerWorkflowId(shard),
    taskQueue,
    args: [{ shard }],
    signal: wakeSignal,
    workflowTaskTimeout,
  });
}

/** Id, queue and description of a host's workflow. */
export const hostWorkflow = (input: HostInput) => ({
  workflowId: hostWorkflowId(input.origin),
  taskQueue: taskQueues.control,
  args: [input] as [HostInput],
  workflowTaskTimeout,
  memo: { host: input.origin },
  staticSummary: input.origin,
});

/** Each starts a workflow if it does not run. A workflow that runs is not touched. True: it was started. */
export const startMissing = {
  crawl: (workflows: Starter, crawlId: string, taskQueue: string = taskQueues.crawl) =>
    isNew(workflows.start('crawl', crawlWorkflow(crawlId, taskQueue))),
  edit: (workflows: Starter, crawlId: string) =>
    isNew(workflows.start('edit', { workflowId: editWorkflowId(crawlId), taskQueue: taskQueues.crawl, args: [{ crawlId }], workflowTaskTimeout })), // prettier-ignore
  export: (workflows: Starter, exportId: string, taskQueue: string = taskQueues.crawl) =>
    isNew(workflows.start('exporting', { workflowId: exportWorkflowId(exportId), taskQueue, args: [{ exportId }], workflowTaskTimeout })), // prettier-ignore
  host: (workflows: Starter, hostId: string, origin: string) =>
    isNew(workflows.start('host', hostWorkflow({ hostId, origin, adopted: true }))),
  reextraction: (workflows: Starter, id: string, taskQueue: string = taskQueues.crawl) =>
    isNew(workflows.start('reextracting', { workflowId: reextractionWorkflowId(id), taskQueue, args: [{ reextractionId: id }], workflowTaskTimeout })), // prettier-ignore
  search: (workflows: Starter, crawlId: string, taskQueue: string = taskQueues.crawl) =>
    isNew(workflows.start('search', { workflowId: searchWorkflowId(crawlId), taskQueue, args: [{ crawlId }], workflowTaskTimeout })), // prettier-ignore
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
