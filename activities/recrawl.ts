/** The activity of a standing crawl: engine/recrawl/ with heartbeats. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { runRecrawl } from '../engine/recrawl/run.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { wakeSchedulers } from './wake-schedulers.ts';

export const createRecrawlActivities = (
  { pool, settings }: Pick<Dependencies, 'pool' | 'settings'>,
  workflows: WorkflowClient,
): Pick<ControlActivities, 'recrawl'> => ({
  recrawl: ({ crawlId }) =>
    withOwnFaults(() =>
      withHeartbeat(async (signal) => {
        const run = await runRecrawl(pool, crawlId, () => !signal.aborted);
        if (run.queued > 0) await wakeSchedulers(pool, workflows, settings.shards);
        return run;
      }),
    ),
});
