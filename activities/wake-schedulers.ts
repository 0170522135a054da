/** Starts or wakes the schedulers of all shards: there is work. */
import type { WorkflowClient } from '@temporalio/client';
import { countShards } from '../storage/feeding/index.ts';
import type { Pool } from '../storage/postgres/index.ts';
import { wakeScheduler } from './open-workflows.ts';

/** @param shards number of shards that new hosts are spread over */
export async function wakeSchedulers(
  pool: Pool,
  workflows: Pick<WorkflowClient, 'signalWithStart'>,
  shards: number,
): Promise<void> {
  // Shards stay when the setting is lowered, and splits make more.
  const [given] = await countShards(pool, shards);
  for (let shard = 0; shard < (given?.shards ?? 0); shard++) await wakeScheduler(workflows, shard);
}
