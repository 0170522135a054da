/** Starts or wakes the schedulers of all shards: there is work. */
import type { WorkflowClient } from '@temporalio/client';
import { schedulerWorkflowId, taskQueues, wakeSignal } from '../contracts/workflows.ts';
import { countShards } from '../storage/feeding/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { workflowTaskTimeout } from './open-workflows.ts';

/** @param shards number of shards that new hosts are spread over */
export async function wakeSchedulers(
  pool: Pool,
  workflows: Pick<WorkflowClient, 'signalWithStart'>,
  shards: number,
): Promise<void> {
  // Hosts keep their shard when the setting is lowered, so higher shards may still have hosts.
  const [given] = await countShards(pool);
  for (let shard = 0; shard < Math.max(shards, given?.shards ?? 0); shard++) {
    await workflows.signalWithStart('scheduler', {
      workflowId: schedulerWorkflowId(shard),
      taskQueue: taskQueues.crawl,
      args: [{ shard }],
      signal: wakeSignal,
      workflowTaskTimeout,
    });
  }
}
