/** Counts rows of all tables, so that a test sees what leaves rows behind, or adds some, wherever they are. */
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

/** Rows of a table that statements have read so far, by any way, dead ones too. */
export async function rowsRead(db: Queryable, table: 'url' | 'host_queue'): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ rows: number }>(
    `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables where relname = $1`,
    [table],
  );
  return rows[0]?.rows ?? NaN;
}
