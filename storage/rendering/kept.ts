/** Pages whose rendering ends without a browser's body: they keep what was read of them. */

/**
 * SQL: what limits have left out of the page `u`, which keeps what was read of it: a shell needs a browser again. A copy says
 * nothing of that, as everywhere: the page that stands for it does. @param isCopy SQL
 */
export const cutOfKept = (isCopy: string): string =>
  `case when not (${isCopy})
                    and (select p.meta ->> 'needs' from reading p
                          where p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0) = 'javascript'
                  then coalesce(u.cut, '{}') || '{"emptyShells": 1}' else u.cut end`;

/**
 * SQL: statements of a `with`, by which the pages `rows (crawl_id, content_id)` count for finish criteria as they were read:
 * each content once.
 */
export const countKept = (rows: string): string =>
  `uncounted as materialized (
     select p.crawl_id, p.content_id, p.due_counters from reading p
      where (p.crawl_id, p.content_id) in (select m.crawl_id, m.content_id from ${rows} m)
        and p.job_id = 0 and p.due_counters is not null
      order by p.crawl_id, p.content_id for update
   ), counted_once as (
     update reading p set due_counters = null from uncounted n
      where p.crawl_id = n.crawl_id and p.content_id = n.content_id and p.job_id = 0
   ), counted as (
     insert into page_counter as c (crawl_id, counter, shard, pages)
     select n.crawl_id, counter, pg_backend_pid() % 32, count(*)
       from uncounted n cross join unnest(n.due_counters) counter
      group by n.crawl_id, counter order by n.crawl_id, counter
     on conflict (crawl_id, counter, shard) do update set pages = c.pages + excluded.pages
   )`;
