/** The API's way to the workflows of the schedulers. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { wakeScheduler } from '../activities/open-workflows.ts';
import { schedulerStateQuery, schedulerWorkflowId, type SchedulerView } from '../contracts/workflows.ts';

/** Milliseconds to wait for a worker to answer, and for Temporal to take a signal. */
const queryMs = 3_000;
const wakeMs = 5_000;

export interface Schedulers {
  /** What the scheduler of a shard does; null: it has not begun, since there was no work, or nobody answers for it. */
  view(shard: number): Promise<SchedulerView | null>;
  /** Has the scheduler look for work now; it is started if it does not run. Rejects if Temporal does not answer. */
  wake(shard: number): Promise<void>;
}

export const createSchedulers = ({ connection, workflow }: Client): Schedulers => ({
  wake: (shard) => connection.withDeadline(Date.now() + wakeMs, () => wakeScheduler(workflow, shard)),
  view: async (shard) => {
    try {
      const handle = workflow.getHandle(schedulerWorkflowId(shard));
      return await connection.withDeadline(Date.now() + queryMs, () => handle.query(schedulerStateQuery));
    } catch (error) {
      const unanswered =
        error instanceof WorkflowNotFoundError ||
        isGrpcServiceError(error) ||
        (error instanceof Error && isGrpcServiceError(error.cause));
      if (unanswered) return null;
      throw error;
    }
  },
});
