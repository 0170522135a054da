/** The API's way to the workflow of a crawl: start the workflow, and tell it to pause, go on or end. */
import {
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import type { Logger } from 'pino';
import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';
import { jobWorkflow, reopenCrawl, startMissing, wakeJob } from '../../activities/open-workflows.ts';
import {
  jobStateQuery,
  jobWorkflowId,
  type JobKind,
  type RedriveAsk,
  type RedriveView,
} from '../../contracts/jobs.ts';
import {
  cancelCrawlUpdate,
  crawlWorkflowId,
  pauseCrawlUpdate,
  resumeCrawlUpdate,
  type CrawlView,
} from '../../contracts/workflows.ts';
import type { PauseCause } from '../../domain/crawl-life.ts';
import { noneRedriven } from '../../domain/dead-letter.ts';

/**
 * 'refused': the workflow refuses, with its reason. 'over': the workflow does not exist any more.
 * 'unavailable': Temporal or a worker did not answer, and the change may still happen.
 */
export type ControlFault = 'refused' | 'over' | 'unavailable';

export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly fault: ControlFault;

  constructor(fault: ControlFault, message: string, cause: unknown) {
    super(message, { cause });
    this.fault = fault;
  }
}

export type CrawlChange = 'pause' | 'resume' | 'cancel';

/** All reject with `ControlError`. */
export interface CrawlControl {
  /** Starts the workflow of a crawl; a workflow that already runs is left alone. */
  start(crawlId: string): Promise<void>;
  /**
   * Makes sure that a workflow watches a crawl that runs again, whether the old workflow has ended or is about to end.
   */
  reopen(crawlId: string): Promise<void>;
  /**
   * For an open crawl. If its workflow was lost, another one is started. Answers the state the crawl is in after the
   * change. `reason`: an operator's words; resume does not use it. `cause`: of a pause.
   */
  change(crawlId: string, change: CrawlChange, reason: string | null, cause?: PauseCause): Promise<CrawlView>;
  /**
   * Drives dead letters of a crawl again. Answers the outcome, or, after a moment, how far the re-drive is; it then
   * goes on by itself. Refused while another re-drive of the crawl is under way.
   */
  redrive(
    input: RedriveAsk & { readonly crawlId: string },
  ): Promise<{ readonly done: boolean; readonly view: RedriveView }>;
  /** Starts the workflow of a job, or tells it that there is something to do. */
  wakeJob(kind: JobKind, id: string, crawl?: string): Promise<void>;
  /** Resolves when Temporal answers. */
  ping(): Promise<void>;
}

/** Milliseconds to wait for Temporal, and for a worker to handle an update. */
const callMs = 5_000;
const updateMs = 15_000;
const redriveMs = 10_000;

const nothingYet: RedriveView = { ...noneRedriven, unparked: false };

/** @param taskQueue the queue of the workflows of crawls */
export function createCrawlControl(client: Client, taskQueue: string): CrawlControl {
  const within = <T>(ms: number, call: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + ms, call).catch((error: unknown) => {
      throw asControlError(error);
    });

  const update = (
    crawlId: string,
    change: CrawlChange,
    reason: string | null,
    cause: PauseCause,
  ): Promise<CrawlView> => {
    const handle = client.workflow.getHandle(crawlWorkflowId(crawlId));
    switch (change) {
      case 'pause':
        return handle.executeUpdate(pauseCrawlUpdate, { args: [reason, cause] });
      case 'resume':
        return handle.executeUpdate(resumeCrawlUpdate);
      case 'cancel':
        return handle.executeUpdate(cancelCrawlUpdate, { args: [reason] });
    }
  };

  const start = async (crawlId: string): Promise<void> => {
    await within(callMs, () => startMissing.crawl(client.workflow, crawlId, taskQueue));
  };

  return {
    start,
    reopen: (crawlId) => within(callMs, () => reopenCrawl(client.workflow, crawlId, taskQueue)),
    redrive: async ({ crawlId: id, ...ask }) => {
      const handle = await within(callMs, async () => {
        try {
          return await client.workflow.start('job', jobWorkflow({ kind: 'redrive', id, ask }, taskQueue));
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          const message = 'another re-drive of its dead letters is still running';
          throw new ControlError('refused', message, error);
        }
      });
      try {
        const view = await within(redriveMs, () => handle.result() as Promise<RedriveView>);
        return { done: true, view };
      } catch (error) {
        if (!(error instanceof ControlError) || error.fault !== 'unavailable') throw error;
        const view = within(callMs, () => handle.query(jobStateQuery) as Promise<RedriveView | null>);
        // No worker answers, but the re-drive is on record: it will be done.
        return { done: false, view: (await view.catch(() => null)) ?? nothingYet };
      }
    },
    wakeJob: (kind, id, crawl) => within(callMs, () => wakeJob(client.workflow, kind, id, taskQueue, crawl)),
    change: (crawlId, change, reason, cause = 'asked') =>
      within(updateMs, async () => {
        try {
          return await update(crawlId, change, reason, cause);
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
          await start(crawlId);
          return update(crawlId, change, reason, cause);
        }
      }),
    ping: () =>
      within(callMs, async () => {
        // Reads its store, not only the server.
        await client.workflowService.describeNamespace({ namespace: client.options.namespace });
      }),
  };
}

/** Has a job that is on record worked at. If Temporal does not answer, the patrol sees to it later. */
export async function beginJob(
  { control, log }: { readonly control: CrawlControl; readonly log: Logger },
  kind: JobKind,
  id: string,
  crawl?: string,
): Promise<void> {
  await control.wakeJob(kind, id, crawl).catch((error: unknown) => {
    log.warn({ err: error, workflowId: jobWorkflowId(kind, id) }, 'the job goes on once Temporal answers');
  });
}

function asControlError(error: unknown): unknown {
  if (error instanceof WorkflowUpdateFailedError) {
    return new ControlError('refused', error.cause?.message ?? error.message, error);
  }
  if (error instanceof WorkflowFailedError) {
    return new ControlError('refused', 'its workflow was ended in Temporal Web before it was done', error);
  }
  if (error instanceof WorkflowNotFoundError)
    return new ControlError('over', 'its workflow has ended', error);
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) {
    return new ControlError('unavailable', 'no worker answered in time', error);
  }
  if (isGrpcServiceError(error) || (error instanceof Error && isGrpcServiceError(error.cause))) {
    return new ControlError('unavailable', 'Temporal does not answer', error);
  }
  return error;
}
