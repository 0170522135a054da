/** Hosts: settings, states, parking, robots.txt, and what visits have taught. */
export { isItsTurn, turnInMs } from './crawl-turns.ts';
export { hostQuota, hostSetting, hostSettings } from './host-settings.ts';
export { hostState, isOnLoan } from './host-state.ts';
export { hostsAfter, hostsFitting, viewHost, readHost, setHost, changeSettings, dropQueue } from './hosts.ts';
export {
  setHostPause,
  dropHost,
  askRobots,
  askParkedHosts,
  claimAsks,
  answerAsks,
  tellOfHost,
} from './operators.sql.ts';
export { parkHost, unparkHost, crawlsOfParked } from './parking.sql.ts';
export { park, bringBack } from './parking.ts';
export { listHosts, ensureHosts, hostIds, heldHostsAfter, isHostParked } from './rows.sql.ts';
export { slowdownNow, complainedAgo } from './slowdown.ts';
export {
  hostHold,
  hostOutlook,
  hostRest,
  loadRobots,
  robotsAddress,
  saveRobots,
  saveLessons,
  reserveRequests,
  type HostOutlook,
  type LessonsRow,
} from './visits.sql.ts';
