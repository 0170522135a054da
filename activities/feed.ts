/** The scheduler's activity: starts or wakes the workflows of hosts that have due URLs. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { refeedHosts, shardActivity, takePlacesBack, takeTurns } from '../storage/feeding/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { startHost } from './start-host.ts';

/** Most calls to Temporal under way together. */
const lanes = 8;

export function createFeedActivities(
  { pool, prefetch }: Pick<Dependencies, 'pool' | 'prefetch'>,
  workflows: WorkflowClient,
  activeHosts: number,
): Pick<ControlActivities, 'feed'> {
  const start = async (hosts: readonly { readonly id: number; readonly origin: string }[]): Promise<void> => {
    const waiting = [...hosts];
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let host = waiting.pop(); host !== undefined; host = waiting.pop()) {
          await startHost(workflows, String(host.id), host.origin);
        }
      }),
    );
  };

  return {
    feed: ({ shard, lost }) =>
      withOwnFaults(async () => {
        const lostHosts = lost ? await refeedHosts(pool, shard) : [];
        const hosts = [...(await takeTurns(pool, shard, activeHosts)), ...lostHosts];
        // The process that fetches later then finds the address in the shared cache, or at least in the resolver's.
        for (const { origin } of hosts) prefetch(new URL(origin).hostname);
        await start(hosts);
        const [activity] = await shardActivity(pool, shard);
        const active = activity?.active ?? 0;
        if (active >= activeHosts) {
          const asked = await takePlacesBack(pool, shard, activeHosts);
          await start(asked.filter(({ asleep }) => asleep));
        }
        return {
          started: hosts.length,
          active,
          cap: activeHosts,
          running: activity?.running ?? false,
        };
      }),
  };
}
