import { statement } from '../statement.ts';

export interface ReportExtreme {
  readonly list: 'slowest' | 'biggest';
  readonly url: string;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly bytes: number;
  readonly took_ms: number | null;
  /** URLs that the list would have without its end. */
  readonly of_all: number;
}

/** The 20 URLs of a crawl that took longest to answer, and the 20 with the largest bodies. */
export const reportExtremes = statement<[crawlId: string], ReportExtreme>(
  'report-extremes',
  `with answered as materialized (
     select u.host_id, u.key, u.bytes, u.took_ms
       from host_queue q join url u on u.host_id = q.host_id and u.crawl_id = q.crawl_id
      where q.crawl_id = $1 and u.fetched_at is not null
   ), listed as (
     (select 'slowest' as list, *, count(*) over () as of_all from answered where took_ms is not null order by took_ms desc, key limit 20)
     union all
     (select 'biggest', *, count(*) over () from answered where bytes > 0 order by bytes desc, key limit 20)
   )
   select l.list, u.url, u.status, u.content_type, u.bytes, u.took_ms, l.of_all
     from listed l join url u on u.host_id = l.host_id and u.crawl_id = $1 and u.key = l.key
    order by l.list, case l.list when 'slowest' then l.took_ms else l.bytes end desc, l.key`,
);
