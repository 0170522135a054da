/** How seeds are stored, and claimed for admission. */
import { statement } from '../postgres/index.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';
import { ruleReasons } from '../../domain/scope.ts';
import { holdQueues, onceHeld } from '../frontier/index.ts';

/**
 * Adds seeds behind those that the crawl has. The caller must hold the crawl's row. `seeds`: [{line, url, rejected,
 * place}], in the order of `line`.
 */
export const appendSeeds = statement<[crawlId: string, seeds: string]>('append-seeds')`
   with s as materialized (
     select * from json_to_recordset($2) as s(line int, url text, rejected text, place text)
   ), placed as (
     insert into seed_place (crawl_id, place)
     select distinct $1::bigint, decode(place, 'hex') from s where place is not null
     on conflict do nothing
   )
   insert into seed (crawl_id, line, url, rejected)
   select $1, (select coalesce(max(line), 0) from seed where crawl_id = $1) + row_number() over (order by s.line),
          s.url, s.rejected
     from s`;

/** Locks a crawl against its end, so that seeds can be added. */
export const lockForSeeds = statement<[crawlId: string], CrawlStands>('lock-for-seeds')`
   select state, cause, reason from crawl where id = $1 for no key update`;

/**
 * Notes the time at which seeds were added, with an event. Must come last in the transaction that adds them, so that
 * the time is that of its end.
 */
export const noteAddedSeeds = statement<[crawlId: string, seeds: number]>('note-added-seeds')`
   with noted as (
     update crawl set seeds_revision = seeds_revision + 1, seeds_added_at = clock_timestamp() where id = $1 returning id
   )
   insert into event (crawl_id, kind, data)
   select id, 'seeds.added', json_build_object('seeds', $2::int) from noted`;

/**
 * Seeds of a crawl that are not admitted yet, in their order; `after`: the line up to which all seeds were admitted.
 */
export const nextSeeds = statement<
  [crawlId: number, limit: number],
  { line: number; url: string; rejected: string | null; after: number }
>('next-seeds')`
   select s.line, s.url, s.rejected, c.seeded_line as after
     from crawl c
    cross join lateral (
      select line, url, rejected from seed
       where crawl_id = c.id and line > c.seeded_line order by line limit $2) s
    where c.id = $1
    order by s.line`;

/**
 * Makes seeds of URLs that a crawl knows as links. From then on they are judged as seeds: URLs that wait are no longer
 * a link away from a seed, and URLs that only a rule for links had excluded are queued. `seeds`: [{origin, key}] with
 * keys in hex, which the settings admit as seeds. Answers the hosts of the URLs that were queued.
 */
export const claimSeeds = statement<[crawlId: number, seeds: string, priority: number], { host_id: number }>(
  'claim-seeds',
)`
   with r as materialized (
     select h.id as host_id, $1::bigint as crawl_id, decode(s.key, 'hex') as key
       from json_to_recordset($2) as s(origin text, key text) join host h on h.origin = s.origin
   ), known as materialized (
     select u.host_id, u.crawl_id, u.key, u.state,
            u.state = 'queued' or (u.state = 'excluded' and u.reason in (${ruleReasons.map((reason) => `'${reason}'`).join(', ')})) as waits
       from r join url u on u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = r.key
      where not u.seed
   ), ${holdQueues('known')}, claimed as (
     update url u set seed = true,
            depth = case when k.waits then 0 else u.depth end,
            hops = case when k.waits then 0 else u.hops end,
            priority = case when k.waits then greatest(u.priority, $3) else u.priority end,
            state = case when k.waits then 'queued' else u.state end,
            reason = case when k.waits and k.state = 'excluded' then null else u.reason end,
            detail = case when k.waits and k.state = 'excluded' then null else u.detail end
       from known k
      where u.host_id = k.host_id and u.crawl_id = k.crawl_id and u.key = k.key and u.state = k.state and ${onceHeld}
     returning u.host_id, k.state, k.waits
   )
   select distinct host_id from claimed where state = 'excluded' and waits`;

/**
 * Notes that the seeds from one line to another, so many of them accepted, were admitted; does nothing if another
 * process has noted that, or if the crawl is over and took none. After the last seed, a frontier from which an edit of
 * the scope has excluded URLs is judged once more: the new seeds may have made these URLs part of the crawl again.
 * Answers the version of the settings for which this is due.
 */
export const noteSeeded = statement<
  [crawlId: number, after: number, line: number, good: number],
  { version: number }
>('note-seeded')`
   with seeded as (
     update crawl set seeded_line = $3, seeds_taken = seeds_taken + $4 where id = $1 and seeded_line = $2
        and state not in ('finished', 'cancelled', 'failed')
     returning id, config_version
   )
   update crawl_config v set state = 'pending', place = null, ended_at = null
     from seeded s
    where v.crawl_id = s.id and v.version = s.config_version and v.state in ('pending', 'applied')
      and exists (select from crawl_config r where r.crawl_id = s.id and r.rereads)
      and (select n.line from seed n where n.crawl_id = s.id and n.line > $3 order by n.line limit 1) is null
   returning v.version`;
