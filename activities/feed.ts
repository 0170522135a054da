/** The scheduler's activity: starts or wakes the workflows of hosts that have due URLs. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { retrying } from '../storage/postgres/index.ts';
import { mayStart, startsAfter } from '../domain/front-queue/starts.ts';
import {
  countUnbegun,
  letOthersAsk,
  lostVisits,
  moveHosts,
  refeedHosts,
  restShard,
  shardActivity,
  takeTurns,
  type FedHost,
} from '../storage/feeding/index.ts';
import { lostFetchers } from '../storage/instance/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { isStuck, loseVisit, startHost } from './start-host.ts';

/**
 * Most milliseconds for which a scheduler rests: while hosts are worked, of which one may lose its worker, and while
 * none is. So long may a wake-up that was lost hold up work.
 */
const restAtWorkMs = 5_000;
const mostRestMs = 15_000;
/** Hosts that are looked at in a statement, and statements in a tick, while a shard is split. */
const hostsABatch = 1_000;
const batchesALook = 5;

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
    const hosts = await retrying(() => refeedHosts(pool, shard));
    if (hosts.length === 0) return 0;
    const mayBeLost = (await lostFetchers(pool)).length > 0;
    await inLanes(hosts, async (host) =>
      mayBeLost || (await isStuck(workflows, host.origin))
        ? loseVisit(workflows, String(host.id), host.origin, null)
        : startHost(workflows, String(host.id), host.origin),
    );
    return hosts.length;
  };

  /** Hosts whose trouble is not that of everybody who waits for them. Their workflows sleep it out, perhaps in an attempt. */
  const wakeForOthers = async (shard: number): Promise<number> => {
    const hosts = await retrying(() => letOthersAsk(pool, shard));
    await lose(hosts.filter(({ fed }) => fed).map((host) => ({ ...host, lease: null })));
    return hosts.length;
  };

  /** Some thousands of hosts in a tick: a million within minutes. */
  const giveHosts = async (shard: number): Promise<void> => {
    for (let batch = 0; batch < batchesALook; batch++) {
      const [moved] = await retrying(() => moveHosts(pool, shard, hostsABatch));
      if (moved?.done !== false) return;
    }
  };
  const rest = async (shard: number, active: number): Promise<number> => {
    const [rests] = await retrying(() => restShard(pool, shard, active > 0 ? restAtWorkMs : mostRestMs));
    return rests?.ms ?? 0;
  };

  return {
    feed: ({ shard, lost, front }) =>
      withOwnFaults(async () => {
        await lose(await lostVisits(pool, shard));
        const refed = lost ? (await wakeForOthers(shard)) + (await refeed(shard)) : 0;
        const [places] = await retrying(() => countUnbegun(pool, shard));
        const starts = startsAfter(front.starts ?? null, places?.unbegun ?? 0, Date.now());
        const turns = await takeTurns(pool, shard, activeHosts, front, mayStart(starts));
        // The process that fetches later then finds the address in the shared cache, or at least in the resolver's.
        for (const { origin } of turns.fed) prefetch(new URL(origin).hostname);
        await start(turns.fed);
        await start(turns.asked.filter(({ asleep }) => asleep));
        const [activity] = await shardActivity(pool, shard);
        // What becomes due from now on wakes the scheduler (scheduler-waker.ts).
        const left = turns.found > turns.fed.length;
        const renderers = activity?.rendering === true ? activity.renderers : 0;
        const reads = activity?.unread === true || renderers > 0;
        const waits = left || refed > 0 || reads || activity?.seeding === true;
        if (activity?.splitting === true) await giveHosts(shard);
        return {
          started: turns.fed.length + refed,
          given: turns.given,
          front: { ...turns.front, starts: { ...starts, waiting: starts.waiting + turns.fed.length } },
          askedBack: turns.asked.length,
          active: activity?.active ?? 0,
          cap: activeHosts,
          running: activity?.running === true || reads || activity?.splitting === true,
          restMs: waits || activity?.splitting === true ? 0 : await rest(shard, activity?.active ?? 0),
          unread: activity?.unread ?? false,
          readers: Math.max(1, activity?.readers ?? 0),
          renderers,
        };
      }),
  };
}
