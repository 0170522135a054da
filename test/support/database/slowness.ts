/** A database that is slow by itself: Postgres sleeps, whoever commits. */
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
