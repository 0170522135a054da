import { statement } from '../statement.ts';

/**
 * Removes so many URLs of a crawl at a host, with all that stands for each of them, and notes their bodies as freed.
 * Answers how many were removed.
 */
export const removeUrls = statement<
  [crawlId: number, hostId: number, limit: number],
  { readonly urls: number }
>(
  'remove-urls',
  `with chosen as materialized (
     select key from url where host_id = $2 and crawl_id = $1 order by key limit $3 for update
   ), gone as (
     delete from url u using chosen k where u.host_id = $2 and u.crawl_id = $1 and u.key = k.key
     returning u.content_hash
   ), pages as (
     delete from page p using chosen k where p.host_id = $2 and p.crawl_id = $1 and p.key = k.key
   ), attempts as (
     delete from attempt a using chosen k where a.host_id = $2 and a.crawl_id = $1 and a.key = k.key
   ), letters as (
     delete from dead_letter d using chosen k where d.host_id = $2 and d.crawl_id = $1 and d.key = k.key
   ), lent as (
     delete from lent_url l using chosen k where l.host_id = $2 and l.crawl_id = $1 and l.key = k.key
   ), freed as (
     insert into freed_body (hash)
     select distinct content_hash from gone where content_hash is not null order by content_hash
     on conflict (hash) do update set since = now()
   ), counted as (
     update host_queue q set total = greatest(q.total - (select count(*) from gone), 0)
      where q.host_id = $2 and q.crawl_id = $1
   )
   select count(*) as urls from gone`,
);
