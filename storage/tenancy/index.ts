/** Tenants, their keys, and what is kept of their calls. */
export {
  makeSecret,
  useKey,
  createKey,
  keysAfter,
  viewKey,
  revoke,
  adoptAdminKey,
  makeFirstKey,
  type WantedKey,
} from './api-keys.ts';
export { auditBefore, tidyAudit } from './audit-log.ts';
export {
  beginAudit,
  countAudit,
  endAudit,
  reserveIdempotencyKey,
  keepAnswer,
  freeIdempotencyKey,
  dropOldAnswers,
  type KnownAnswer,
} from './calls.sql.ts';
export { listTenants, findTenant, lockTenant, meteredTenants } from './tenants.sql.ts';
export {
  quotasOf,
  readUsage,
  createTenant,
  tenantsAfter,
  viewTenant,
  editTenant,
  shutTenant,
} from './tenants.ts';
export { bearerOfLink, bearerOfSession, signIn, signInSeconds, signOut, takeLink } from './sign-ins.ts';
