import { statement } from '../statement.ts';

export interface HostRecount {
  readonly hosts: number;
  readonly origin: string | null;
  readonly queued: number;
  readonly leased: number;
  readonly total: number;
  readonly actual_queued: number;
  readonly actual_leased: number;
  readonly actual_total: number;
}

/** Hosts whose counters differ from their URLs; `hosts` is the same in each row. One row with a null origin: none. */
export const recountHosts = statement<[crawlId: string, limit: number], HostRecount>(
  'recount-hosts',
  `with actual as (
     select host_id, count(*) filter (where state = 'queued') as queued,
            count(*) filter (where state = 'leased') as leased, count(*) as total
       from url where crawl_id = $1 group by host_id
   ), compared as materialized (
     select host_id, coalesce(q.queued, 0) as queued, coalesce(q.leased, 0) as leased, coalesce(q.total, 0) as total,
            coalesce(a.queued, 0) as actual_queued, coalesce(a.leased, 0) as actual_leased,
            coalesce(a.total, 0) as actual_total
       from (select * from host_queue where crawl_id = $1) q full join actual a using (host_id)
   ), wrong as (
     select * from compared
      where (queued, leased, total) is distinct from (actual_queued, actual_leased, actual_total)
      order by host_id limit $2
   )
   select (select count(*) from compared) as hosts,
          case when wrong.host_id is not null then coalesce(h.origin, 'host ' || wrong.host_id) end as origin,
          coalesce(queued, 0) as queued, coalesce(leased, 0) as leased, coalesce(total, 0) as total,
          coalesce(actual_queued, 0) as actual_queued, coalesce(actual_leased, 0) as actual_leased,
          coalesce(actual_total, 0) as actual_total
     from (select) one left join wrong on true left join host h on h.id = wrong.host_id`,
);
