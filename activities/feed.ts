/** The scheduler's hand: starts or wakes the workflows of hosts that have due URLs. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { refeedHosts } from '../storage/statements/refeed-hosts.ts';
import { shardActivity } from '../storage/statements/shard-activity.ts';
import { takeTurns } from '../storage/turns.ts';
import type { Dependencies } from './dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { startHost } from './start-host.ts';

/** Calls to Temporal under way at once. */
const lanes = 8;

export function createFeedActivities(
  { pool, prefetch }: Pick<Dependencies, 'pool' | 'prefetch'>,
  workflows: WorkflowClient,
  activeHosts: number,
): Pick<ControlActivities, 'feed'> {
  return {
    feed: ({ shard, lost }) =>
      withOwnFaults(async () => {
        const lostHosts = lost ? await refeedHosts(pool, shard) : [];
        const hosts = [...(await takeTurns(pool, shard, activeHosts)), ...lostHosts];
        // Whichever process fetches then finds the answer shared, or at least with the resolver.
        for (const { origin } of hosts) prefetch(new URL(origin).hostname);
        const waiting = [...hosts];
        await Promise.all(
          Array.from({ length: lanes }, async () => {
            for (let host = waiting.pop(); host !== undefined; host = waiting.pop()) {
              await startHost(workflows, String(host.id), host.origin);
            }
          }),
        );
        const [activity] = await shardActivity(pool, shard);
        return {
          started: hosts.length,
          active: activity?.active ?? 0,
          cap: activeHosts,
          running: activity?.running ?? false,
        };
      }),
  };
}
