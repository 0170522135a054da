/** Domains that must not be crawled, and complaints. */
export { storeComplaint, complaintsBefore } from './complaints.sql.ts';
export {
  addOptOut,
  removeOptOut,
  loadOptOuts,
  hostsOfDomain,
  reachOfOptOut,
  excludeHostsOptedOut,
  requeueOptedOut,
} from './opt-outs.sql.ts';
export { optOut, takeBackOptOut, optOutsAfter } from './opt-outs.ts';
export { isPublicSuffix } from './public-suffix.ts';
