/** What was read of pages, without reading them. */
import type { Queryable } from '../../../storage/postgres/index.ts';
import type { Columns } from './table.ts';
import { tables, type ReadingRow } from './tables.ts';

type Read = Columns<ReadingRow> & Readonly<Record<'host_id' | 'crawl_id', number | string> & { key: Buffer }>;

/**
 * Points the URLs at contents of their own, and adds what was read of these; the rows name the same columns. Answers the
 * ids of the contents.
 */
export async function addReadings(db: Queryable, rows: readonly Read[]): Promise<number[]> {
  const { rows: pointed } = await db.query<{ content_id: number }>(
    `with r as materialized (
       select u.host_id, u.crawl_id, u.key, coalesce(u.content_hash, sha256(u.key)) as hash, n
         from json_to_recordset($1) as r(n int, host_id bigint, crawl_id bigint, key text)
         join url u on u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex')
     ), claimed as (
       insert into content (crawl_id, hash, site, host_id, key, tenant_id)
       select crawl_id, hash, (select count(*) from content c where c.crawl_id = r.crawl_id and c.hash = r.hash)
                + row_number() over (partition by crawl_id, hash order by n) - 1,
              host_id, key, (select tenant_id from crawl k where k.id = r.crawl_id)
         from r order by n returning id, crawl_id, host_id, key
     ), pointing as (
       update url u set content_id = c.id
         from claimed c where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key
     )
     select c.id as content_id from r join claimed c using (crawl_id, host_id, key) order by r.n`,
    [
      JSON.stringify(
        rows.map(({ host_id, crawl_id, key }, n) => ({ n, host_id, crawl_id, key: key.toString('hex') })),
      ),
    ],
  );
  await tables.reading.addAll(
    db,
    rows.map((row, n) => ({
      job_id: 0,
      ...row,
      content_id: pointed[n]?.content_id,
      extracted_at: new Date(),
      is_printed: false,
    })),
  );
  return pointed.map(({ content_id: id }) => id);
}
