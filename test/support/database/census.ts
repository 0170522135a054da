/** Counts rows of all tables, so that a test sees what leaves rows behind, or adds some, wherever they are. */
import { readFileSync } from 'node:fs';
import type { Queryable } from '../../../storage/postgres/index.ts';

/** Rows by table. */
export async function rowCounts(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of rows) counts[name] = await count(db, `select count(*)::int as n from ${name}`);
  return counts;
}

/** Rows of one crawl, by table, of all tables that say whose crawl a row is. */
export async function rowsOfCrawl(db: Queryable, id: string): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'crawl_id'`,
  );
  const counts: Record<string, number> = {
    crawl: await count(db, 'select count(*)::int as n from crawl where id = $1', id),
  };
  for (const { name } of rows)
    counts[name] = await count(db, `select count(*)::int as n from ${name} where crawl_id = $1`, id);
  return counts;
}

async function count(db: Queryable, statement: string, ...values: readonly string[]): Promise<number> {
  return (await db.query<{ n: number }>(statement, [...values])).rows[0]?.n ?? 0;
}

/** Rows of `url` that statements have read so far, by any way. */
export async function urlRowsRead(db: Queryable): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ rows: number }>(
    `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables where relname = 'url'`,
  );
  return rows[0]?.rows ?? NaN;
}

/** Clock ticks a second, as Linux tells them to programs (proc(5)). */
const ticks = 100;

/**
 * Processor time in milliseconds that the server's process behind this one connection has had so far: a clock would also
 * count the time that others took meanwhile. Where there is no /proc: the time by the clock.
 */
export async function serverMs(connection: Queryable): Promise<number> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (process.platform !== 'linux') return performance.now();
  const stat = readFileSync(`/proc/${String(rows[0]?.pid)}/stat`, 'utf8');
  // Behind the name, which may hold anything, come the third field and those after it; the 14th and 15th are wanted.
  const [user = NaN, system = NaN] = stat.slice(stat.lastIndexOf(')') + 2).split(' ').slice(11, 13).map(Number); // prettier-ignore
  return ((user + system) * 1_000) / ticks;
}
