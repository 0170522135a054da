/** Pages that wait for what their scripts asked for, and those that nobody will render. */
import { statement } from '../postgres/index.ts';

/**
 * Looks at pages that wait, those that are due first: one for which everything it asked for is over, since it was answered
 * or never will be, is rendered again, as is one that has waited for its longest time. The others are looked at again after
 * 1.5 times as long, half a minute at most. The time does not pass while the crawl is paused. Locks pages before what is
 * known of their rendering, as rounds do. Answers how many were looked at.
 */
export const lookAgain = statement<[limit: number], { looked: number }>('look-at-waiting-pages')`
   with due as materialized (
     select g.host_id, g.crawl_id, g.key, coalesce(g.until <= now(), false) and c.state <> 'paused' as is_late, c.state = 'paused' as rests,
            not exists (
              select from jsonb_to_recordset(g.waits) as w(origin text, key text)
                join host h on h.origin = w.origin
                join url u on u.host_id = h.id and u.crawl_id = g.crawl_id and u.key = decode(w.key, 'hex')
               where u.state in ('queued', 'leased') and h.parked_at is null
                 and not exists (select from host_queue q
                                  where q.host_id = h.id and q.crawl_id = g.crawl_id and q.logged_out_at is not null)) as is_over
       from (select * from rendering where due_at <= now() order by due_at limit $1) g
       join crawl c on c.id = g.crawl_id
   ), held as materialized (
     select u.host_id, u.crawl_id, u.key, u.stage from url u
       join due d on d.host_id = u.host_id and d.crawl_id = u.crawl_id and d.key = u.key
      order by u.host_id, u.crawl_id, u.key for update of u
   ), back as (
     update url u set stage = 3
       from held l join due d on d.host_id = l.host_id and d.crawl_id = l.crawl_id and d.key = l.key
      where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.stage = 4 and (d.is_over or d.is_late)
   ), noted as (
     update rendering g
        set due_at = case when l.stage = 4 and not d.is_over and not d.is_late
                          then now() + least(30, 0.5 * 1.5 ^ least(g.looks, 20)) * interval '1 second' end,
            -- Looks at a page that waits long come each half a minute.
            until = case when d.rests then g.until + interval '31 seconds' else g.until end,
            looks = least(g.looks + 1, 32000)
       from held l join due d on d.host_id = l.host_id and d.crawl_id = l.crawl_id and d.key = l.key
      where g.host_id = l.host_id and g.crawl_id = l.crawl_id and g.key = l.key
   )
   select count(*)::int as looked from due`;

/**
 * Ends the rendering of pages of crawls that are ending, and of all pages if no worker that renders was there for two
 * minutes, while others were: they keep what was read of them, as copies where another page stands for that. Answers how many.
 */
export const endRenderings = statement<[limit: number], { ended: number }>('end-renderings')`
   with gone as materialized (
     select not exists (select from worker_process
                         where 'render' = any (roles) and seen_at > now() - interval '2 minutes')
            and exists (select from worker_process
                         where 'extract' = any (roles) and seen_at > now() - interval '15 seconds'
                           and started_at < now() - interval '2 minutes') as so
   ), crawls as materialized (
     select c.id, c.state in ('draining', 'finished', 'cancelled', 'failed') as ends
       from crawl c, gone
      where c.renders_since is not null
        and (gone.so or c.state in ('draining', 'finished', 'cancelled', 'failed'))
        and exists (select from url u where u.stage in (3, 4) and u.stage > 0 and u.crawl_id = c.id)
   ), chosen as materialized (
     select u.host_id, u.crawl_id, u.key, u.content_id, u.content_hash, c.ends
       from crawls c
      cross join lateral (
        select * from url where stage in (3, 4) and stage > 0 and crawl_id = c.id
         order by host_id, key limit $1 for update skip locked) u
   ), moved as (
     update url u set stage = 0, alias_host = o.host_id, alias_key = o.key
       from chosen l
       left join content o on o.crawl_id = l.crawl_id and o.id = l.content_id and (o.host_id, o.key) <> (l.host_id, l.key)
      where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.stage > 2
     returning u.host_id, u.crawl_id, u.key, u.content_id, u.content_hash, l.ends
   ), due as (
     insert into content_due (crawl_id, content_id)
     select distinct crawl_id, content_id from moved where content_id is not null
   ), noted as (
     insert into rendering as g (host_id, crawl_id, key, answer_hash, reason, rounds, crashes, outcome, ended_at)
     select m.host_id, m.crawl_id, m.key, m.content_hash, coalesce(c.shell, ''), 0, 0,
            case when m.ends then 'ended' else 'no-browser' end, now()
       from moved m left join content c on c.crawl_id = m.crawl_id and c.id = m.content_id
     on conflict (host_id, crawl_id, key) do update
       set rounds = case when g.answer_hash = excluded.answer_hash then g.rounds else 0 end,
           crashes = case when g.answer_hash = excluded.answer_hash then g.crashes else 0 end,
           answer_hash = excluded.answer_hash, outcome = excluded.outcome, due_at = null, ended_at = now()
   )
   select count(*)::int as ended from moved`;
