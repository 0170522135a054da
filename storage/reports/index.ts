/** Reports on crawls: audit, report, outlook, where time goes, explain, metrics. */
export { auditCrawl } from './audit.ts';
export {
  explainUrl,
  explainHost,
  countAhead,
  listAttempts,
  listShortened,
  type UrlCircumstances,
  type HostCircumstances,
} from './explain.sql.ts';
export {
  measureCrawls,
  measureDatabase,
  measureDeadLetters,
  measureHosts,
  measureLags,
  measureQueues,
  measureShards,
  recountSample,
  sampleShares,
} from './metrics.sql.ts';
export { timeOf } from './crawl-time.ts';
export { crawlHostsAfter, outlookOf } from './outlook.ts';
export { waitingHosts } from './outlook.sql.ts';
export { reportCrawl } from './report.ts';
