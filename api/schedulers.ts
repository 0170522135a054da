/** The API's way to the workflows of the schedulers. */
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { schedulerStateQuery, schedulerWorkflowId, type SchedulerView } from '../contracts/workflows.ts';

/** Milliseconds to wait for a worker to answer. */
const queryMs = 3_000;

export interface Schedulers {
  /** What the scheduler of a shard does; null: nobody answers for it. */
  view(shard: number): Promise<SchedulerView | null>;
}

export const createSchedulers = ({ connection, workflow }: Client): Schedulers => ({
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
