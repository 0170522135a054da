/** Activities of a crawl's workflow: engine/crawls/ with heartbeats, and messages to other workflows. */
import { type WorkflowClient, WorkflowNotFoundError } from '@temporalio/client';
import type { ControlActivities } from '../contracts/activities.ts';
import { glanceAt } from '../engine/crawls/glance.ts';
import {
  changeCrawlState,
  closeAccounts,
  crawlStandsAt,
  drainCrawl,
  settleCrawl,
} from '../engine/crawls/life.ts';
import { Watching } from '../engine/crawls/watching.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { wakeJob, reopenCrawl } from './open-workflows.ts';
import { wakeSchedulers } from './wake-schedulers.ts';
import { askHostSignal, hostWorkflowId } from '../contracts/workflows.ts';
import { retrying } from '../storage/postgres/index.ts';
import { claimAsks } from '../storage/hosts/index.ts';
import { unpark } from '../engine/letters/redrive.ts';

type CrawlActivities = Pick<
  ControlActivities,
  | 'lookAtCrawl'
  | 'setCrawlState'
  | 'closeAccounts'
  | 'watchCrawl'
  | 'drainCrawl'
  | 'settleCrawl'
  | 'wakeSchedulers'
>;

export function createCrawlActivities(
  dependencies: Dependencies,
  workflows: WorkflowClient,
): CrawlActivities {
  const { pool, settings } = dependencies;
  const watching = new Watching(dependencies, {
    startEdit: (crawlId) => wakeJob(workflows, 'edit', crawlId),
    askHosts: (crawlId) => askHosts(dependencies, workflows, crawlId),
  });

  return {
    lookAtCrawl: ({ crawlId }) =>
      withOwnFaults(async () => ({
        ...(await crawlStandsAt(pool, crawlId)),
        glance: await glanceAt(dependencies, crawlId),
      })),
    setCrawlState: ({ crawlId, ...next }) => withOwnFaults(() => changeCrawlState(pool, crawlId, next)),
    closeAccounts: ({ crawlId }) =>
      withOwnFaults(() => withHeartbeat((signal) => closeAccounts(pool, crawlId, signal))),
    watchCrawl: ({ crawlId, watchMs }) =>
      withOwnFaults(() => withHeartbeat((signal) => watching.watch(crawlId, watchMs, signal))),
    drainCrawl: ({ crawlId, reason }) =>
      withOwnFaults(() => withHeartbeat((signal) => drainCrawl(pool, crawlId, reason, signal))),
    settleCrawl: ({ crawlId, ending, reason, revision }) =>
      withOwnFaults(() =>
        withHeartbeat(async () => ({
          ...(await settleCrawl(pool, crawlId, ending, reason, revision)),
          glance: await glanceAt(dependencies, crawlId),
        })),
      ),

    wakeSchedulers: () => withOwnFaults(() => wakeSchedulers(pool, workflows, settings.shards)),
  };
}

/**
 * For people who repair a site and start its crawl again: if a crawl has seeds at parked hosts, each of these hosts is
 * probed once, and the crawl waits for the result. This function asks the hosts' workflows for the probe, again if no
 * answer has come.
 */
async function askHosts(
  dependencies: Pick<Dependencies, 'pool' | 'wakeHosts'>,
  workflows: WorkflowClient,
  crawlId: string,
): Promise<void> {
  const hosts = await retrying(() => claimAsks(dependencies.pool, Number(crawlId)));
  await Promise.all(
    hosts.map(async ({ host_id: hostId, origin }) => {
      try {
        await workflows.getHandle(hostWorkflowId(origin)).signal(askHostSignal);
      } catch (error) {
        if (!(error instanceof WorkflowNotFoundError)) throw error;
        // Somebody terminated the workflow: unparked, the host is found by the search for lost hosts.
        await unpark(dependencies, (id) => reopenCrawl(workflows, id), hostId);
      }
    }),
  );
}
