/** Sessions of crawls: what must stay secret, and where a site has logged a crawl out. */
export { KeyMissing, NoKey, SecretKeys } from './secret-keys.ts';
export { foundAt, listSessions, loggedOutHosts } from './sessions.sql.ts';
export {
  giveSession,
  logOut,
  mostPlaces,
  openSession,
  retrySession,
  storeParts,
  takeSession,
  type Renewed,
  type SessionPart,
  type SessionValue,
} from './sessions.ts';
