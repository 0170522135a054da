/** Counts rows of all tables, so that a test sees what leaves rows behind, or adds some, wherever they are. */
import type { Queryable } from '../../../storage/postgres/index.ts';

/** Rows by table. */
export async function rowCounts(db: Queryable): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  return counts(db, rows, '');
}

/** Rows of one crawl, by table, of all tables that say whose crawl a row is. */
export async function rowsOfCrawl(db: Queryable, id: string): Promise<Record<string, number>> {
  const { rows } = await db.query<{ name: string }>(
    `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'crawl_id'`,
  );
  return {
    ...(await counts(db, [{ name: 'crawl' }], 'where id = $1', id)),
    ...(await counts(db, rows, 'where crawl_id = $1', id)),
  };
}

/** Of all tables in one statement: it is asked before and after each of many requests. */
async function counts(
  db: Queryable,
  tables: readonly { readonly name: string }[],
  condition: string,
  ...values: readonly string[]
): Promise<Record<string, number>> {
  const each = tables.map(
    ({ name }) => `select '${name}' as name, count(*)::int as n from ${name} ${condition}`,
  );
  const { rows } = await db.query<{ name: string; n: number }>(each.join(' union all '), [...values]);
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** Rows of a table that statements have read so far, by any way, dead ones too. */
export async function rowsRead(db: Queryable, table: 'url' | 'host_queue' | 'content'): Promise<number> {
  await db.query('select pg_stat_force_next_flush()');
  const { rows } = await db.query<{ rows: number }>(
    `select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables where relname = $1`,
    [table],
  );
  return rows[0]?.rows ?? NaN;
}
