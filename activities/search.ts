/** The activity that indexes a crawl: engine/search/indexing.ts with heartbeats and failures for Temporal. */
import type { SearchActivities } from '../contracts/activities.ts';
import type { IndexCrawl } from '../engine/search/indexing.ts';
import { withOwnFaults } from './failures.ts';
import { withHeartbeat } from './heartbeat.ts';

export const createSearchActivities = (indexCrawl: IndexCrawl): SearchActivities => ({
  indexPages: ({ crawlId }) => withOwnFaults(() => withHeartbeat((signal) => indexCrawl(crawlId, signal))),
});
