import { statement } from '../statement.ts';

/** Bodies that were dealt with are forgotten; those that a process has just stored once more are looked at later. */
export const settleFreed = statement<
  [settled: readonly Buffer[], later: readonly Buffer[]],
  Record<string, never>
>(
  'settle-freed',
  `with again as (update freed_body set since = now() where hash = any ($2::bytea[]))
   delete from freed_body where hash = any ($1::bytea[])`,
);
