import { statement } from '../statement.ts';

export interface ReportHost {
  readonly list: 'busiest' | 'failing' | 'slowest';
  readonly origin: string;
  readonly urls: number;
  readonly answered: number;
  /** Dead or failed. */
  readonly lost: number;
  readonly bytes: number;
  /** Mean of what its last answers took, in milliseconds; null: not known. */
  readonly took_ms: number | null;
  /** Hosts that the list would have without its end. */
  readonly of_all: number;
}

/** Hosts of a crawl in three lists of 20: with most URLs, with most that came to nothing, with the slowest answers. */
export const reportHosts = statement<[crawlId: string], ReportHost>(
  'report-hosts',
  `with per_host as materialized (
     select q.host_id, count(*) as urls, count(u.fetched_at) as answered,
            count(*) filter (where u.state in ('dead', 'failed')) as lost,
            coalesce(sum(u.bytes), 0)::bigint as bytes, avg(u.took_ms)::float8 as took_ms
       from host_queue q join url u on u.host_id = q.host_id and u.crawl_id = q.crawl_id
      where q.crawl_id = $1 group by q.host_id
   ), listed as (
     (select 'busiest' as list, *, count(*) over () as of_all from per_host order by urls desc, host_id limit 20)
     union all
     (select 'failing', *, count(*) over () from per_host where lost > 0 order by lost desc, host_id limit 20)
     union all
     (select 'slowest', *, count(*) over () from per_host where took_ms is not null order by took_ms desc, host_id limit 20)
   )
   select l.list, h.origin, l.urls, l.answered, l.lost, l.bytes, l.took_ms, l.of_all
     from listed l join host h on h.id = l.host_id`,
);
