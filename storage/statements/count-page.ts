import { statement } from '../statement.ts';

/** Adds a page that is read elsewhere to the counters of finish criteria it is one for; see upsert-pages.ts. */
export const countPage = statement<[crawlId: number, counters: readonly string[]], Record<string, never>>(
  'count-page',
  `insert into page_counter as c (crawl_id, counter, shard, pages)
   select $1, counter, pg_backend_pid() % 32, 1 from unnest($2::text[]) counter order by counter
   on conflict (crawl_id, counter, shard) do update set pages = c.pages + 1`,
);
