/** The road to Postgres: its pool, its prepared statements, what a failure means, its schema. */
export { lookAtDatabase, migrate, WrongSchema, type DatabaseLook } from './migrate.ts';
export {
  walkMs,
  allowStoreCalls,
  allowWalk,
  planByKey,
  createPool,
  one,
  inTransaction,
  transactOnce,
  type Pool,
  type Queryable,
  type TakeTurn,
} from './pool.ts';
export { listen, notify } from './notices.sql.ts';
export { isTooLate, probePostgres } from './probe-postgres.ts';
export { retrying, isStorageOutage } from './retry.ts';
export { statement, view } from './statement.ts';
