import type { UrlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface ReportCount {
  /** What is counted: URLs by state and reason, by status, by media type, by depth; or all of them. */
  readonly kind: 'state' | 'status' | 'type' | 'depth' | 'all';
  readonly state: UrlState | null;
  readonly reason: string | null;
  readonly status: number | null;
  readonly type: string | null;
  readonly depth: number | null;
  readonly urls: number;
  readonly bytes: number;
  readonly duplicates: number;
  /** Groups of its kind there are. */
  readonly of_all: number;
}

/**
 * URLs of a crawl, counted in one pass for its report. Media types without their parameters; where there was no answer
 * there is neither status nor type, and no row for that. The 200 largest groups of each kind.
 */
export const reportCounts = statement<[crawlId: string], ReportCount>(
  'report-counts',
  `with counted as (
     select case grouping(u.state, u.status, type, u.depth)
              when 7 then 'state' when 11 then 'status' when 13 then 'type' when 14 then 'depth' else 'all' end as kind,
            u.state::text, u.reason, u.status, type, u.depth::int,
            count(*) as urls, coalesce(sum(u.bytes), 0)::bigint as bytes, count(u.alias_key) as duplicates
       from host_queue q
       join url u on u.host_id = q.host_id and u.crawl_id = q.crawl_id
      cross join lateral (select lower(trim(split_part(u.content_type, ';', 1))) as type) t
      where q.crawl_id = $1
      group by grouping sets ((u.state, u.reason), (u.status), (type), (u.depth), ())
   ), ranked as (
     select *, row_number() over (partition by kind order by urls desc, state, reason, status, type, depth) as place,
            count(*) over (partition by kind) as of_all
       from counted
      where not (kind = 'status' and status is null) and not (kind = 'type' and type is null)
   )
   select kind, state, reason, status, type, depth, urls, bytes, duplicates, of_all
     from ranked where place <= 200 order by kind, place`,
);
