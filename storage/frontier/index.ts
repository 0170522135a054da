/** The frontier: URL rows and the queues they stand in. */
export {
  holdConfigs,
  orOutdated,
  outdatedConfig,
  knownUrls,
  type JudgedBy,
  type AdmissionRow,
} from './admission.sql.ts';
export { admitUrls } from './admit.ts';
export { forgetDead } from './garbage.sql.ts';
export { ClaimLost, FrontierWriter, type FrontierWrite, type Written } from './frontier-writer.ts';
export {
  leaseUrls,
  returnUrls,
  reclaimUrls,
  reclaimPaused,
  pagesInHand,
  type LeasedUrl,
} from './leasing.sql.ts';
export {
  addLinks,
  rescoreUrls,
  settleTiers,
  urlsToScore,
  type LinkedRow,
  type RescoredRow,
  type ScoredUrl,
} from './links.sql.ts';
export { holdQueues, onceHeld } from './queue-locks.ts';
export {
  commitResults,
  countPage,
  excludeAllButNeeded,
  excludeQueued,
  type ResultRow,
} from './results.sql.ts';
export { findUrlState, listCrawlUrls, lockHostQueues, readChain, type LedToRow } from './urls.sql.ts';
