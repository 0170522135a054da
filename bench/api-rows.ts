/** A crawl with many pages, put straight into Postgres: what the API reads is what counts here, not who fetched it. */
import type { Pool } from '../storage/postgres/index.ts';

const hosts = 50;

/** Answers the id of the crawl, which is finished. Every URL goes through the ledger's states, and has a page. */
export async function storePages(pool: Pool, pages: number): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into crawl (state, config) values ('paused', '{}') returning id::text`,
  );
  const crawl = rows[0]?.id ?? '';
  await pool.query(
    `insert into host (origin, shard) select 'https://h' || n || '.example', 0 from generate_series(0, $1 - 1) n`,
    [hosts],
  );
  const ofEach = `
    select h.id as host, $1::bigint as crawl, substring(sha256(convert_to(h.origin || n, 'UTF8')) for 16) as key,
           h.origin || '/section/' || n % 40 || '/a-page-with-a-usual-name-' || n as url, n
    from generate_series(0, $2::integer - 1) n
    join host h on h.origin = 'https://h' || n % ${String(hosts)} || '.example'`;
  await pool.query(
    `insert into url (host_id, crawl_id, key, url, state, depth, priority)
     select host, crawl, key, url, 'queued', n % 7, 0.5 from (${ofEach}) each`,
    [crawl, pages],
  );
  await pool.query(
    `update url set state = 'done', status = 200, fetched_at = now() - interval '1 hour' * random(), fetches = 1,
            bytes = 24000, content_type = 'text/html; charset=utf-8', content_hash = sha256(key)
     where crawl_id = $1`,
    [crawl],
  );
  await pool.query(
    `with claimed as (
       insert into content (crawl_id, hash, host_id, key, tenant_id)
       select crawl_id, content_hash, host_id, key, 1 from url where crawl_id = $1
       returning id, host_id, crawl_id, key
     ), pointing as (
       update url u set content_id = c.id
         from claimed c where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key
     )
     insert into reading (content_id, host_id, crawl_id, key, title, description, language, charset, words, links, noindex,
                          nofollow, outlinks)
     select c.id, host, crawl, each.key, 'A page called ' || n, 'What page ' || n || ' is about, said in one sentence', 'en',
            'utf-8', 300, 40, false, false, ''
     from (${ofEach}) each join claimed c on c.key = each.key`,
    [crawl, pages],
  );
  await pool.query(
    `update crawl set state = 'finished', reason = 'complete', started_at = created_at, ended_at = now() where id = $1`,
    [crawl],
  );
  await pool.query('vacuum analyze url, content, reading');
  return crawl;
}
