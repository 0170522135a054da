/** Activities by which a host's workflow changes its host's row: give back, pause, park, unpark, drop, set the delay. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities, HostCounts, HostRef } from '../contracts/activities.ts';
import { troubleClasses } from '../domain/trouble.ts';
import {
  changeSettings,
  dropQueue,
  park,
  hostHold,
  hostOutlook,
  hostRest,
  setHostPause,
} from '../storage/hosts/index.ts';
import { cutVisit } from '../storage/leases/index.ts';
import { retrying } from '../storage/postgres/index.ts';
import { retireHost } from '../storage/feeding/index.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { unpark } from '../engine/letters/redrive.ts';
import { counted } from '../engine/visit/visitor.ts';
import { reopenCrawl } from './open-workflows.ts';

type HostActivities = Pick<
  ControlActivities,
  | 'retireHost'
  | 'lookAtHost'
  | 'cutVisit'
  | 'setHostPause'
  | 'parkHost'
  | 'unparkHost'
  | 'dropHost'
  | 'setHostDelay'
  | 'countHost'
>;

/** @param probeMs milliseconds from parking a host to its first probe */
export function createHostActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
  probeMs: number,
): HostActivities {
  const { pool } = dependencies;
  const counts = async ({ hostId }: HostRef): Promise<HostCounts> => {
    const [outlook] = await hostOutlook(pool, hostId);
    return counted(outlook);
  };

  return {
    retireHost: ({ hostId }) =>
      withOwnFaults(async () => ({ retired: (await retrying(() => retireHost(pool, hostId))).length > 0 })),

    lookAtHost: (host) =>
      withOwnFaults(async () => {
        const [hold] = await hostHold(pool, host.hostId);
        const parked = hold?.parked ?? null;
        return {
          ...(await counts(host)),
          paused: hold?.paused ?? null,
          parked: parked === null ? null : { reason: parked, forMs: Math.round(hold?.trouble_ms ?? 0) },
        };
      }),

    cutVisit: ({ hostId }) =>
      withOwnFaults(async () => {
        await cutVisit(pool, hostId);
      }),

    setHostPause: ({ hostId, reason }) =>
      withOwnFaults(async () => {
        await retrying(() => setHostPause(pool, hostId, reason));
      }),

    parkHost: (input) =>
      withOwnFaults(async () => {
        await retrying(() => park(pool, input.hostId, input.reason, troubleClasses));
        const [host] = await hostRest(pool, input.hostId);
        return { ...(await counts(input)), probeMs, restMs: Math.ceil(host?.rest_ms ?? 0) };
      }),

    countHost: (host) => withOwnFaults(() => counts(host)),

    unparkHost: (host) =>
      withOwnFaults(() =>
        withHeartbeat(async () => {
          await unpark(dependencies, (crawlId) => reopenCrawl(workflows, crawlId), host.hostId);
          return counts(host);
        }),
      ),

    dropHost: (input) =>
      withOwnFaults(() =>
        withHeartbeat(async (signal) => {
          const { dropped, more } = await dropQueue(pool, input.hostId, input.reason, Infinity, signal);
          if (more) throw new Error('dropping was interrupted');
          return { ...(await counts(input)), dropped };
        }),
      ),

    setHostDelay: ({ hostId, seconds }) =>
      withOwnFaults(async () => {
        await changeSettings(pool, hostId, { delaySeconds: seconds });
      }),
  };
}
