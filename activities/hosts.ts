/** What the host workflow does to its host's row: giving back, parking, unparking, dropping, delays. */
import type { WorkflowClient } from '@temporalio/client';
import type { ControlActivities, HostCounts, HostRef } from '../contracts/activities.ts';
import { crawlWorkflowId, reopenCrawlSignal, taskQueues } from '../contracts/workflows.ts';
import { troubleClasses } from '../domain/trouble.ts';
import { retrying } from '../storage/retry.ts';
import { dropHost } from '../storage/statements/drop-host.ts';
import { hostOutlook } from '../storage/statements/host-outlook.ts';
import { parkHost } from '../storage/statements/park-host.ts';
import { redriveDeadLetters } from '../storage/statements/redrive-dead-letters.ts';
import { reopenCrawls } from '../storage/statements/reopen-crawls.ts';
import { retireHost } from '../storage/statements/retire-host.ts';
import { setHostDelay } from '../storage/statements/set-host-delay.ts';
import { unparkHost } from '../storage/statements/unpark-host.ts';
import type { Dependencies } from './dependencies.ts';
import { withOwnFaults } from './failures.ts';

type HostActivities = Pick<
  ControlActivities,
  'retireHost' | 'parkHost' | 'unparkHost' | 'dropHost' | 'setHostDelay'
>;

/** Dead letters that were the host's trouble, or may have been: they go again when the host does. */
const hostCaused: readonly string[] = [...troubleClasses, 'server-error', 'reset', 'poison'];

export function createHostActivities({ pool }: Dependencies, workflows: WorkflowClient): HostActivities {
  const counts = async ({ hostId }: HostRef): Promise<HostCounts> => {
    const [outlook] = await hostOutlook(pool, hostId);
    return { queued: outlook?.queued ?? 0, deadLetters: outlook?.dead_letters ?? 0 };
  };

  return {
    retireHost: ({ hostId }) =>
      withOwnFaults(async () => ({ retired: (await retireHost(pool, hostId)).length > 0 })),

    parkHost: (input) =>
      withOwnFaults(async () => {
        await retrying(() => parkHost(pool, input.hostId, input.reason, troubleClasses));
        return counts(input);
      }),

    unparkHost: (host) =>
      withOwnFaults(async () => {
        await retrying(() => unparkHost(pool, host.hostId));
        await retrying(() => redriveDeadLetters(pool, host.hostId, hostCaused));
        for (const { id } of await reopenCrawls(pool, host.hostId)) await reopenCrawl(workflows, String(id));
        return counts(host);
      }),

    dropHost: (input) =>
      withOwnFaults(async () => {
        const dropped = (await retrying(() => dropHost(pool, input.hostId, input.reason))).length;
        return { ...(await counts(input)), dropped };
      }),

    setHostDelay: ({ hostId, seconds }) =>
      withOwnFaults(async () => {
        await setHostDelay(pool, hostId, seconds === null ? null : Math.round(seconds * 1_000));
      }),
  };
}

/** A crawl that ended while URLs waited at a parked host is watched again until these have ended too. */
async function reopenCrawl(workflows: WorkflowClient, crawlId: string): Promise<void> {
  await workflows.signalWithStart('crawl', {
    workflowId: crawlWorkflowId(crawlId),
    taskQueue: taskQueues.control,
    args: [{ crawlId, reopened: true }],
    signal: reopenCrawlSignal,
    workflowTaskTimeout: '5 seconds',
  });
}
