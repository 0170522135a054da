/** Activities of a crawl's workflow: engine/crawls/ with heartbeats, and messages to other workflows. */
import type { WorkflowClient } from '@temporalio/client';
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
import { askHosts } from './ask-hosts.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';
import { wakeJob } from './open-workflows.ts';
import { wakeSchedulers } from './wake-schedulers.ts';

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
