/** The quality of hosts: samples of their URLs, and what was made of them. */
import { goodQuality, thinWords, type HostSample, type QualityParts } from '../../domain/host-quality.ts';
import type { HostQuality } from '../../contracts/http/host-quality.ts';
import { readingOf } from '../pages/index.ts';
import { statement, view } from '../postgres/index.ts';

/** Crawls of a host that a sample looks at, the latest, and URLs of each: any, since keys are hashes. */
const crawls = 3;
const urlsOfCrawl = 200;

export interface SampledHost extends HostSample {
  readonly id: number;
  /** Null: the host was not looked at yet. */
  readonly quality: number | null;
  /** What the last look found. */
  readonly later: boolean;
  readonly linked: number | null;
  /** An operator's word; null: the looks decide. */
  readonly pinned: number | null;
  /** In the imported ranking; null: none. */
  readonly place: number | null;
  /** Nothing to look at: the last look is less than a day old, or the host has never answered. */
  readonly fresh: boolean;
}

/** Hosts after an id, with samples of those that are known and whose last look is a day old. */
export const sampleHosts = statement<[after: number, limit: number, daySeconds: number], SampledHost>(
  'sample-hosts',
)`
   with chosen as materialized (
     select h.id, q.quality, coalesce(q.later, false) as later, (q.parts ->> 'inbound')::float8 as linked, q.pinned,
            case when h.known_at is not null then rank_of(h.origin) end as place, h.recent_asked as asked, h.recent_failed as failed,
            h.known_at is null or coalesce(q.looked_at > now() - $3 * interval '1 second', false) as fresh
       from host h left join host_quality q on q.host_id = h.id
      where h.id > $1 order by h.id limit $2
   )
   select c.id, c.quality, c.later, c.linked, c.pinned, c.place, c.fresh, s.urls, s.pages, s.duplicates, s.thin, c.asked,
          c.failed, s.traps, s.inbound
     from chosen c
    cross join lateral (
      select count(*)::int as urls,
             count(*) filter (where u.state = 'done' and u.status between 200 and 299)::int as pages,
             count(*) filter (where u.alias_key is not null)::int as duplicates,
             count(*) filter (where u.alias_key is null and p.words < ${thinWords})::int as thin,
             count(*) filter (where u.state = 'excluded' and u.reason = 'trap'
                                and exists (select from quarantine t where t.id = split_part(u.detail, ':', 1)::bigint
                                                                      and t.rule <> 'operator'))::int as traps,
             count(distinct u.parent_host) filter (where u.parent_host <> c.id)::int as inbound
        from (select q.crawl_id from host_queue q
               where q.host_id = c.id and not c.fresh order by q.crawl_id desc limit ${crawls}) of
       cross join lateral (
         select * from url where host_id = c.id and crawl_id = of.crawl_id and kind = 0
          order by key limit ${urlsOfCrawl}) u
        left join ${readingOf('u')}) s
    order by c.id`;

/** What follows from the quality of a host, as JSON. */
export interface Consequences {
  readonly host_id: number;
  /** As they were when this was decided: if they have changed, nothing follows. */
  readonly pinned: number | null;
  readonly budget: number | null;
  readonly esteem: -1 | 0 | 1;
}

/** A look, as JSON. */
export interface LookedAt extends Consequences {
  /** Null: there is too little to judge the host by. */
  readonly quality: number | null;
  readonly later: boolean;
  readonly parts: QualityParts;
  readonly urls: number;
}

/** `rows`: LookedAt[]. */
export const storeQualities = statement<[rows: string]>('store-qualities')`
   insert into host_quality (host_id, quality, later, parts, urls)
   select host_id, quality, later, parts, urls
     from json_to_recordset($1) as r(host_id bigint, quality real, later boolean, parts jsonb, urls int)
    where quality is not null order by host_id
   on conflict (host_id) do update
     set quality = excluded.quality, later = excluded.later, parts = excluded.parts, urls = excluded.urls, looked_at = now()`;

/**
 * Gives hosts the budget and the class that follow from their quality, where these have changed; answers those hosts.
 * `rows`: Consequences[]. `opens`: a host that had spent its budget is open again, and a visit under way ends.
 */
export const settleQualities = statement<[rows: string, opens: boolean], { origin: string }>(
  'settle-qualities',
)`
   with r as materialized (
     select r.* from json_to_recordset($1) as r(host_id bigint, pinned real, budget int, esteem smallint)
   ), chosen as materialized (
     select h.id, h.esteem as had, r.budget, r.esteem
       from host h join r on r.host_id = h.id left join host_quality q on q.host_id = h.id
      where (h.budget is distinct from r.budget or h.esteem <> r.esteem) and q.pinned is not distinct from r.pinned
      order by h.id for update of h
   ), changed as (
     update host h
        set budget = c.budget, esteem = c.esteem, settings_revision = settings_revision + $2::boolean::int,
            closed_until = case when $2::boolean then '-infinity' else closed_until end
       from chosen c where h.id = c.id
     returning h.origin
   ), held as materialized (
     select q.host_id, q.crawl_id, c.esteem from host_queue q join chosen c on c.id = q.host_id
      where c.had <> c.esteem order by q.host_id, q.crawl_id for update of q
   ), moved as (
     update host_queue q
        set authority = case l.esteem when 1 then true when -1 then false
                        else exists (select from url u where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.seed) end
       from held l where q.host_id = l.host_id and q.crawl_id = l.crawl_id
   )
   select origin from changed`;

interface Pinned extends Pick<SampledHost, 'id' | 'later' | 'linked' | 'place'> {
  readonly quality: number;
}

/** Pins the quality of a host, or takes the pin back (null). No row: there is no such host. */
export const notePin = statement<[origin: string, quality: number | null], Pinned>('note-pin')`
   insert into host_quality (host_id, quality, pinned, parts, urls, looked_at)
   select id, 1, $2, '{}', 0, '-infinity' from host where origin = $1
   on conflict (host_id) do update set pinned = excluded.pinned
   returning host_id as id, quality, later, (parts ->> 'inbound')::float8 as linked, rank_of($1) as place`;

const columns = `h.origin, coalesce(q.pinned, q.quality, 1)::float8 as quality, q.pinned is not null as pinned,
          h.budget as requests_per_day,
          coalesce(q.later and q.pinned is null, false) as left_for_later,
          coalesce(q.parts, '{}') as parts, coalesce(q.urls, 0) as urls,
          nullif(q.looked_at, '-infinity') as looked_at`;

/** Hosts below a quality, and hosts that are left for later; the worst first, after one of them. */
export const poorHosts = view<
  [below: number, afterQuality: number, afterId: number, limit: number],
  HostQuality & { id: number }
>('poor-hosts')`
   select ${columns}, h.id
     from host_quality q join host h on h.id = q.host_id
    where (coalesce(q.pinned, q.quality) < ${goodQuality} or q.later)
      and (coalesce(q.pinned, q.quality) < $1::float8 or q.later and q.pinned is null)
      and (coalesce(q.pinned, q.quality)::float8 > $2 or (coalesce(q.pinned, q.quality)::float8 = $2 and q.host_id > $3))
    order by coalesce(q.pinned, q.quality), q.host_id limit $4`;

/** Qualities of hosts; 1 for those that were neither looked at nor pinned. */
export const qualitiesOf = view<[origins: readonly string[]], HostQuality>('qualities-of')`
   select ${columns} from host h left join host_quality q on q.host_id = h.id where h.origin = any ($1)`;

/** Is there any host for which something follows from its quality? */
export const hasPoorHosts = statement<[], { any: boolean }>('has-poor-hosts')`
   select exists (select from host_quality where coalesce(pinned, quality) < ${goodQuality}) as any`;
