/** Tells a workflow that there is work, and starts it if it has ended or never ran. */
import type { WorkflowClient } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { jobKinds, jobWorkflowId, type JobInput, type JobKind } from '../contracts/jobs.ts';
import {
  crawlWorkflowId,
  hostWorkflowId,
  reopenCrawlSignal,
  schedulerWorkflowId,
  taskQueues,
  wakeSignal,
  type CrawlInput,
  type HostInput,
} from '../contracts/workflows.ts';

type Opener = Pick<WorkflowClient, 'signalWithStart'>;
type Starter = Pick<WorkflowClient, 'start'>;

/** After this time, not after the default 10 s, a killed worker's task is given to another worker. */
const workflowTaskTimeout = '5 seconds';

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

/** Id, queue and description of a job's workflow. @param crawl whose job it is, where its id does not say so */
export const jobWorkflow = (
  input: JobInput,
  taskQueue: string = jobKinds[input.kind].workflows,
  crawl?: string,
) => ({
  workflowId: jobWorkflowId(input.kind, input.id),
  taskQueue,
  args: [input] as [JobInput],
  workflowTaskTimeout,
  staticSummary: `${jobKinds[input.kind].title} ${input.id}`,
  ...(crawl !== undefined && { memo: { crawl } }),
});

/** Tells a job's workflow that there is something to do. */
export async function wakeJob(
  workflows: Opener,
  kind: JobKind,
  id: string,
  taskQueue?: string,
  crawl?: string,
): Promise<void> {
  await workflows.signalWithStart('job', {
    ...jobWorkflow({ kind, id }, taskQueue, crawl),
    signal: wakeSignal,
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
  host: (workflows: Starter, hostId: string, origin: string) =>
    isNew(workflows.start('host', hostWorkflow({ hostId, origin, adopted: true }))),
  job: (workflows: Starter, kind: JobKind, id: string, crawl?: string) =>
    isNew(workflows.start('job', jobWorkflow({ kind, id }, undefined, crawl))),
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
