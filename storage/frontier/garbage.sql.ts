/** URLs that were gone for long leave the frontier (F10). */
import { holdQueues, onceHeld, stateOfNamed } from './queue-locks.ts';
import { statement } from '../postgres/index.ts';

/** Visits in a row that find a page of a standing crawl gone, before it leaves like any other. */
const visitsOfGone = 4;

/** How many URLs went, and the last one that was looked at; null: there was none, and the next look begins anew. */
interface Forgotten {
  readonly urls: number;
  readonly crawl_id: number | null;
  /** With microseconds. */
  readonly fetched_at: string;
  readonly host_id: number;
  readonly key: Buffer;
}

/**
 * Removes URLs of open crawls that were last found dead so many days ago, with all rows about them (`url_gone`), and
 * counts them in `forgotten`: the ledger counts them for ever, and the audit adds them to the URLs that it finds. Their places among
 * the URLs that a host may have are free again. Answers how many URLs there were, `limit` at most.
 *
 * A page that a crawl asks for again stays while the crawl stands, until it was found gone so often in a row
 * (`visitsOfGone`). A crawl may have a million such pages, so each time looks at the `looks` URLs at most that come after
 * a place in the order of crawls and last answers, and answers the place it came to.
 *
 * Caches that know such a URL as seen would keep it out if it is found again. So each time changes the epoch of what is
 * known of the crawl (`loadCrawls`), in the same transaction. That empties its caches, so a crawl forgets within ten
 * minutes of a day.
 */
export const forgetDead = statement<
  [
    days: number,
    limit: number,
    looks: number,
    crawlId: number,
    fetchedAt: string,
    hostId: number,
    key: Buffer,
  ],
  Forgotten
>('forget-dead')`
   with looked as materialized (
     select u.*
       from (select id from crawl c
              where id >= $4 and state in ('seeding', 'running', 'paused', 'draining')
                and not exists (select from forgetting f where f.crawl_id = c.id
                                   and f.begun_at between now() - interval '1 day' and now() - interval '10 minutes')
              order by id) c
      cross join lateral (
        select crawl_id, fetched_at, host_id, key from url
         where crawl_id = c.id and state = 'dead' and fetched_at < now() - $1 * interval '1 day'
           and (crawl_id, fetched_at, host_id, key) > ($4, $5::timestamptz, $6, $7)
         order by fetched_at, host_id, key limit $3
      ) u limit $3
   ), chosen as materialized (
     select host_id, crawl_id, key, ${stateOfNamed('dead')} from looked l
      where not exists (select from page_history h join standing_crawl s on s.crawl_id = h.crawl_id
                         where h.crawl_id = l.crawl_id and h.key = l.key and h.host_id = l.host_id
                           and h.next_due is not null and h.dead_visits < ${visitsOfGone} offset 0)
      order by crawl_id, fetched_at limit $2
   ), ${holdQueues('chosen')}, gone as (
     delete from url u using chosen k
      where u.host_id = k.host_id and u.crawl_id = k.crawl_id and u.key = k.key and u.state = k.was and ${onceHeld}
     returning u.host_id, u.crawl_id, u.key, u.fetches, u.bytes
   ), counted as (
     insert into forgotten as f (host_id, crawl_id, urls, fetches, bytes)
     select host_id, crawl_id, count(*), sum(fetches), sum(bytes) from gone
      group by host_id, crawl_id order by host_id, crawl_id
     on conflict (host_id, crawl_id) do update
       set urls = f.urls + excluded.urls, fetches = f.fetches + excluded.fetches, bytes = f.bytes + excluded.bytes
   ), unknown as (
     insert into forgetting as f (crawl_id, times, begun_at)
     select distinct crawl_id, 1, now() from gone order by crawl_id
     on conflict (crawl_id) do update
       set times = f.times + 1,
           begun_at = case when f.begun_at < now() - interval '1 day' then now() else f.begun_at end
   ), placed as (
     update host_queue q set total = q.total - g.urls
       from (select host_id, crawl_id, count(*) as urls from gone group by host_id, crawl_id) g
      where q.host_id = g.host_id and q.crawl_id = g.crawl_id
   )
   select (select count(*) from gone) as urls, l.crawl_id, l.fetched_at, l.host_id, l.key
     from (select) one
     left join (select crawl_id, fetched_at::text as fetched_at, host_id, key from looked
                 order by looked.crawl_id desc, looked.fetched_at desc, looked.host_id desc, looked.key desc limit 1) l on true`;
