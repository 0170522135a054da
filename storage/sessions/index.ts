/** Sessions of crawls: what must stay secret, and where a site has logged a crawl out. */
export { openHeaders, sealAgain, sealHeaders } from './sealed-headers.ts';
export { KeyMissing, NoKey, SecretKeys } from './secret-keys.ts';
export { countLoggedOut, foundAt, listSessions, loggedOutHosts } from './sessions.sql.ts';
export {
  giveSession,
  keepCookies,
  keptCookies,
  logOut,
  mostPlaces,
  openSession,
  retrySession,
  storeParts,
  takeSession,
  withSession,
  type Renewed,
  type SessionPart,
  type SessionValue,
} from './sessions.ts';
export { turnKey } from './turning.ts';
