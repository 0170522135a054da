/** Hosts lent to fetchers that are not ours. */
export {
  askToLend,
  lendHosts,
  handOutUrls,
  crawlsToLendFrom,
  loansOfTenant,
  lockLoansOfTenant,
  leaveToWorkers,
  forgetLent,
  type EndedLoans,
  type LendableHost,
} from './lend.sql.ts';
export {
  claimLentHost,
  lockLentHost,
  lentHold,
  lentUrls,
  isLentUrlSettled,
  settleLentUrl,
  claimLentContent,
  findParents,
  unstoredUrls,
  type LentUrl,
  type ParentRow,
} from './settle.sql.ts';
