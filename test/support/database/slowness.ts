/** A database that is slow, or stands still, by itself: Postgres sleeps, whoever changes a row. */
import type { JobKind } from '../../../contracts/jobs.ts';
import type { Queryable } from '../../../storage/postgres/index.ts';

/** From now on each answer that is committed takes `ms` milliseconds, one after another, whoever commits it; 0: no more. */
export async function slowResults(db: Queryable, ms: number): Promise<void> {
  await db.query('drop trigger if exists url_zz_slow on url');
  await db.query('drop function if exists slow_results');
  if (ms === 0) return;
  await db.query(`create function slow_results() returns trigger language plpgsql as $$
    declare answers bigint;
    begin
      select count(*) into answers from new_rows where stage = 1;
      if answers > 0 then
        perform pg_advisory_xact_lock(4711);
        perform pg_sleep(answers * ${String(ms / 1_000)});
      end if;
      return null;
    end $$`);
  await db.query(`create trigger url_zz_slow after update on url referencing new table as new_rows
    for each statement execute function slow_results()`);
}

/** A column of a table that grows, or what a kind of jobs notes in `progress`. */
export type Growing =
  | { readonly table: string; readonly column: string }
  | { readonly kind: JobKind; readonly noted: string };

/**
 * Once what grows in a row has reached `value`, nobody changes or deletes that row any more: who tries to waits in Postgres. So whatever
 * works at it is still at work when a test ends it, however late the test is.
 */
export async function standStill(
  db: Queryable,
  growing: Growing,
  value: number,
): Promise<{ readonly goOn: () => Promise<void> }> {
  const [name, table, condition] =
    'kind' in growing
      ? [
          growing.kind,
          'job',
          `old.kind = '${growing.kind}' and (old.progress ->> '${growing.noted}')::bigint`,
        ]
      : [growing.table, growing.table, `old.${growing.column}`];
  await db.query(`create function stand_still_${name}() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(3600);
      return coalesce(new, old);
    end $$`);
  await db.query(`create trigger stand_still_${name} before update or delete on ${table}
    for each row when (${condition} >= ${String(value)}) execute function stand_still_${name}()`);
  return {
    /** Whoever waits is cut off: what it was about to change stays as it was. */
    goOn: async () => {
      await db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event = 'PgSleep'`,
      );
      await db.query(`drop trigger stand_still_${name} on ${table}`);
      await db.query(`drop function stand_still_${name}`);
    },
  };
}
