/** The scheduler's activity: starts or wakes the workflows of hosts that have due URLs. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { lostVisits, refeedHosts, shardActivity, takeTurns, type FedHost } from '../storage/feeding/index.ts';
import { lostFetchers } from '../storage/instance/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { isStuck, loseVisit, startHost } from './start-host.ts';

/** Most calls to Temporal under way together. */
const lanes = 8;

export function createFeedActivities(
  { pool, prefetch }: Pick<Dependencies, 'pool' | 'prefetch'>,
  workflows: WorkflowClient,
  activeHosts: number,
): Pick<ControlActivities, 'feed'> {
  const inLanes = async <H>(hosts: readonly H[], call: (host: H) => Promise<void>): Promise<void> => {
    const waiting = [...hosts];
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        for (let host = waiting.pop(); host !== undefined; host = waiting.pop()) await call(host);
      }),
    );
  };
  const start = (hosts: readonly FedHost[]): Promise<void> =>
    inLanes(hosts, ({ id, origin }) => startHost(workflows, String(id), origin));
  const lose = (hosts: readonly (FedHost & { readonly lease: number | null })[]): Promise<void> =>
    inLanes(hosts, ({ id, origin, lease }) => loseVisit(workflows, String(id), origin, lease));

  /**
   * Hosts without a visit that should have one. A worker may have died after it took a task and before it had a lease,
   * and a task or a result may have been lost between a worker and the server.
   */
  const refeed = async (shard: number): Promise<number> => {
    const hosts = await refeedHosts(pool, shard);
    if (hosts.length === 0) return 0;
    const mayBeLost = (await lostFetchers(pool)).length > 0;
    await inLanes(hosts, async (host) =>
      mayBeLost || (await isStuck(workflows, host.origin))
        ? loseVisit(workflows, String(host.id), host.origin, null)
        : startHost(workflows, String(host.id), host.origin),
    );
    return hosts.length;
  };

  return {
    feed: ({ shard, lost, front }) =>
      withOwnFaults(async () => {
        await lose(await lostVisits(pool, shard));
        const refed = lost ? await refeed(shard) : 0;
        const turns = await takeTurns(pool, shard, activeHosts, front);
        // The process that fetches later then finds the address in the shared cache, or at least in the resolver's.
        for (const { origin } of turns.fed) prefetch(new URL(origin).hostname);
        await start(turns.fed);
        await start(turns.asked.filter(({ asleep }) => asleep));
        const [activity] = await shardActivity(pool, shard);
        return {
          started: turns.fed.length + refed,
          given: turns.given,
          front: turns.front,
          askedBack: turns.asked.length,
          active: activity?.active ?? 0,
          cap: activeHosts,
          running: activity?.running === true || activity?.unread === true,
          unread: activity?.unread ?? false,
          readers: Math.max(1, activity?.readers ?? 0),
        };
      }),
  };
}
