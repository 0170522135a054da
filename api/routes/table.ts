/** Every route of the API. What is not here is refused by the gate. */
import { jobRoutes } from '../compat/jobs.ts';
import { defaultCrawlRoutes } from '../compat/default-crawl.ts';
import { agentRoutes } from './agents.ts';
import { auditLogRoutes } from './audit-log.ts';
import { bodyRoutes } from './body.ts';
import { capRoutes } from './caps.ts';
import { changeRoutes } from './changes.ts';
import { consoleRoutes } from './console.ts';
import { crawlRoutes } from './crawls.ts';
import { deadLetterRoutes } from './dead-letters.ts';
import { eventRoutes } from './events.ts';
import { exportRoutes } from './export.ts';
import { exportJobRoutes } from './exports.ts';
import { fetchRoutes } from './fetch.ts';
import { freshnessRoutes } from './freshness.ts';
import { frontierRoutes } from './frontier.ts';
import { healthRoutes } from './health.ts';
import { hostActionRoutes } from './host-actions.ts';
import { hostQualityRoutes } from './host-quality.ts';
import { hostRobotsRoutes } from './host-robots.ts';
import { hostRoutes } from './hosts.ts';
import { keyRoutes } from './keys.ts';
import { metricsRoutes } from './metrics.ts';
import { optOutRoutes } from './opt-outs.ts';
import { boilerplateRoutes } from './boilerplate.ts';
import { nearDuplicateRoutes } from './near-duplicates.ts';
import { outlookRoutes } from './outlook.ts';
import { crawlerPageRoutes, docsRoutes } from './pages.ts';
import { quarantineRoutes } from './quarantine.ts';
import { rankRoutes } from './ranks.ts';
import { reextractionRoutes } from './reextractions.ts';
import { reportRoutes } from './report.ts';
import { resultRoutes } from './results.ts';
import type { Route } from './route.ts';
import { seedRoutes } from './seeds.ts';
import { shardRoutes } from './shards.ts';
import { ruleTrialRoutes } from './rule-trial.ts';
import { searchRoutes } from './search.ts';
import { sessionRoutes } from './sessions.ts';
import { sitemapRoutes } from './sitemaps.ts';
import { tenantRoutes } from './tenants.ts';
import { versionRoutes } from './versions.ts';
import { webhookRoutes } from './webhooks.ts';

/** Behind the gate. */
export const gatedRoutes: readonly Route[] = [
  ...crawlRoutes,
  ...sessionRoutes,
  ...resultRoutes,
  ...deadLetterRoutes,
  ...quarantineRoutes,
  ...sitemapRoutes,
  ...searchRoutes,
  ...hostRoutes,
  ...hostRobotsRoutes,
  ...capRoutes,
  ...hostQualityRoutes,
  ...optOutRoutes,
  ...rankRoutes,
  ...versionRoutes,
  ...hostActionRoutes,
  ...shardRoutes,
  ...seedRoutes,
  ...outlookRoutes,
  ...nearDuplicateRoutes,
  ...boilerplateRoutes,
  ...freshnessRoutes,
  ...changeRoutes,
  ...reportRoutes,
  ...exportRoutes,
  ...exportJobRoutes,
  ...reextractionRoutes,
  ...bodyRoutes,
  ...ruleTrialRoutes,
  ...fetchRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...jobRoutes,
  ...defaultCrawlRoutes,
  ...metricsRoutes,
  ...frontierRoutes,
  ...keyRoutes,
  ...tenantRoutes,
  ...auditLogRoutes,
  ...docsRoutes,
  ...consoleRoutes,
  ...agentRoutes,
];

/**
 * The routes before the gated ones take no key and count against no limit: for supervisors, and for people who met the
 * crawler.
 */
export const routes: readonly Route[] = [...gatedRoutes, ...crawlerPageRoutes, ...healthRoutes];
