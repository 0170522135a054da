/** Pages that wait for what their scripts asked for, and those that nobody will render. */
import { storedStages } from '../../domain/stage.ts';
import { isAnyRenderer } from '../instance/index.ts';
import { statement } from '../postgres/index.ts';
import { countKept, cutOfKept } from './kept.ts';

const [render, resources] = [String(storedStages.render), String(storedStages.resources)];
/** Pages that are being rendered. */
const isRendered = `u.stage in (${render}, ${resources}) and u.stage > 0`;

/** SQL: seconds from one look at a page to the next. @param looks how many there were */
const secondsAfter = (looks: string): string =>
  `least(30, 0.5 * 1.5 ^ least(${looks}, 20)) * interval '1 second'`;

/**
 * Looks at pages that wait, those that are due first: one for which everything it asked for is over, since it was answered
 * or never will be, is rendered again, as is one that has waited for its longest time. The others are looked at again after
 * 1.5 times as long, half a minute at most. The time does not pass while the crawl is paused. Locks pages before what is
 * known of their rendering, as rounds do, and leaves those alone that another process looks at. Answers how many were looked
 * at.
 */
export const lookAgain = statement<[limit: number], { looked: number }>('look-at-waiting-pages')`
   with held as materialized (
     select u.host_id, u.crawl_id, u.key, u.stage
       from (select host_id, crawl_id, key from rendering where due_at <= now() order by due_at limit $1) g
       join url u on u.host_id = g.host_id and u.crawl_id = g.crawl_id and u.key = g.key
      order by u.host_id, u.crawl_id, u.key for update of u skip locked
   ), due as materialized (
     select g.host_id, g.crawl_id, g.key, coalesce(g.until <= now(), false) and c.state <> 'paused' as is_late, c.state = 'paused' as rests,
            not exists (
              select from jsonb_to_recordset(g.waits) as w(origin text, key text)
                join host h on h.origin = w.origin
                join url u on u.host_id = h.id and u.crawl_id = g.crawl_id and u.key = decode(w.key, 'hex')
               where u.state in ('queued', 'leased') and h.parked_at is null
                 and not exists (select from host_queue q
                                  where q.host_id = h.id and q.crawl_id = g.crawl_id and q.logged_out_at is not null)) as is_over
       from held l
       join rendering g on g.host_id = l.host_id and g.crawl_id = l.crawl_id and g.key = l.key
       join crawl c on c.id = g.crawl_id
   ), back as (
     update url u set stage = ${render}
       from held l join due d on d.host_id = l.host_id and d.crawl_id = l.crawl_id and d.key = l.key
      where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.stage = ${resources} and (d.is_over or d.is_late)
   ), noted as (
     update rendering g
        set due_at = case when l.stage = ${resources} and not d.is_over and not d.is_late
                          then now() + ${secondsAfter('g.looks')} end,
            -- By the time since the look before, which the first one follows as the second does it.
            until = case when d.rests then g.until + ${secondsAfter('greatest(g.looks - 1, 0)')} + (now() - g.due_at) else g.until end,
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
   with recursive gone as materialized (
     select not ${isAnyRenderer}
            and exists (select from worker_process
                         where 'extract' = any (roles) and seen_at > now() - interval '15 seconds'
                           and started_at < now() - interval '2 minutes') as so
   ), waiting as (
     select s.stage, (select min(u.crawl_id) from url u where u.stage = s.stage and u.stage > 0) as crawl_id
       from (values (${render}::smallint), (${resources}::smallint)) s (stage)
     union all
     select w.stage, (select min(u.crawl_id) from url u where u.stage = w.stage and u.stage > 0 and u.crawl_id > w.crawl_id)
       from waiting w where w.crawl_id is not null
   ), crawls as materialized (
     select c.id, c.state in ('draining', 'finished', 'cancelled', 'failed') as ends
       from crawl c, gone
      where c.id in (select crawl_id from waiting)
        and (gone.so or c.state in ('draining', 'finished', 'cancelled', 'failed'))
   ), chosen as materialized (
     select u.host_id, u.crawl_id, u.key, u.content_id, u.content_hash, c.ends
       from crawls c
      cross join lateral (
        select * from url u where ${isRendered} and u.crawl_id = c.id
         order by host_id, key limit $1 for update skip locked) u
   ), moved as (
     update url u set stage = 0, alias_host = o.host_id, alias_key = o.key, cut = ${cutOfKept('o.key is not null')}
       from chosen l
       left join content o on o.crawl_id = l.crawl_id and o.id = l.content_id and (o.host_id, o.key) <> (l.host_id, l.key)
      where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and ${isRendered}
     returning u.host_id, u.crawl_id, u.key, u.content_id, u.content_hash, l.ends
   ), due as (
     insert into content_due (crawl_id, content_id)
     select distinct crawl_id, content_id from moved where content_id is not null
   ), ${countKept('moved')}, noted as (
     insert into rendering as g (host_id, crawl_id, key, answer_hash, reason, rounds, crashes, outcome)
     select m.host_id, m.crawl_id, m.key, m.content_hash, coalesce(c.shell, ''), 0, 0,
            case when m.ends then 'ended' else 'no-browser' end
       from moved m left join content c on c.crawl_id = m.crawl_id and c.id = m.content_id
     on conflict (host_id, crawl_id, key) do update
       set rounds = case when g.answer_hash = excluded.answer_hash then g.rounds else 0 end,
           crashes = case when g.answer_hash = excluded.answer_hash then g.crashes else 0 end,
           answer_hash = excluded.answer_hash, unended = 0, outcome = excluded.outcome, due_at = null
   )
   select count(*)::int as ended from moved`;
