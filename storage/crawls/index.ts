/** Crawls: their rows, their life, and how they are deleted. */
export {
  crawlOutlook,
  listParkedHosts,
  recentRate,
  unreadPages,
  type CrawlOutlook,
  type UnreadPages,
} from './counts.sql.ts';
export { removeBatch, freeBodies } from './crawl-removal.ts';
export { crawlTime } from './crawl-time.ts';
export { crawlRateOf, findCrawl, findRules, crawlsBefore, openCrawls, viewCrawl } from './crawls.ts';
export { setCrawlState, reopenClosedCrawls, reopenCrawlsAtHost } from './life.sql.ts';
export { markExpired, markRemoved } from './removal.sql.ts';
export {
  listCrawls,
  loadCrawls,
  lockCrawls,
  crawlStands,
  crawlOfTenant,
  anyCrawlOfTenant,
  openCrawlsAfter,
  earlierCrawls,
  crawlOfJob,
  countJobsOfUser,
  type CrawlRow,
} from './rows.sql.ts';
