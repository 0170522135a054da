/** What the database shows to whoever gets hold of a dump of it. */
import type { Pool } from '../../../storage/postgres/index.ts';

/** Names of the tables that have a row with this text somewhere, as a dump would write it. */
export async function tablesWith(pool: Pool, text: string): Promise<string[]> {
  const { rows: names } = await pool.query<{ name: string }>(
    `select quote_ident(table_name) as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`,
  );
  const found: string[] = [];
  for (const { name } of names) {
    const { rows } = await pool.query(`select from ${name} t where position($1 in t::text) > 0 limit 1`, [
      text,
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
