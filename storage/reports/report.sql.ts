/** The report of a crawl. */
import type { UrlReason } from '../../domain/url-reason.ts';
import type { UrlState } from '../../contracts/crawl.ts';
import { readingOf } from '../pages/index.ts';
import { statement, walkMs } from '../postgres/index.ts';

export interface ReportCount {
  /** What the row counts: URLs by state and reason, by status, by media type or by depth; or all URLs. */
  readonly kind: 'state' | 'status' | 'type' | 'depth' | 'all';
  readonly state: UrlState | null;
  readonly reason: UrlReason | null;
  readonly status: number | null;
  readonly type: string | null;
  readonly depth: number | null;
  readonly urls: number;
  readonly bytes: number;
  readonly duplicates: number;
  /** The number of groups of this kind. */
  readonly of_all: number;
}

/**
 * URLs of a crawl, counted in one pass for its report: the 200 largest groups of each kind. Media types come without
 * their parameters. URLs without an answer have neither status nor type, and count in no group of these kinds.
 */
export const reportCounts = statement<[crawlId: string], ReportCount>('report-counts', walkMs)`
   with counted as (
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
     from ranked where place <= 200 order by kind, place`;

/** URLs of a crawl that were gone for long and have no row any more. */
export const countForgotten = statement<[crawlId: string], { urls: number }>('count-forgotten')`
   select coalesce(sum(urls), 0)::bigint as urls from forgotten where crawl_id = $1`;

export interface ReportExtreme {
  readonly list: 'slowest' | 'biggest';
  readonly url: string;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly bytes: number;
  readonly took_ms: number | null;
  /** The number of URLs, those beyond the end of the list included. */
  readonly of_all: number;
}

/** The 20 URLs of a crawl that took longest to answer, and the 20 with the largest bodies. */
export const reportExtremes = statement<[crawlId: string], ReportExtreme>('report-extremes', walkMs)`
   with answered as materialized (
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
    order by l.list, case l.list when 'slowest' then l.took_ms else l.bytes end desc, l.key`;

export interface ReportHost {
  readonly list: 'busiest' | 'failing' | 'slowest';
  readonly origin: string;
  readonly urls: number;
  readonly answered: number;
  /** URLs that are dead or failed. */
  readonly lost: number;
  readonly bytes: number;
  /** Mean time of the last answer to each URL, in milliseconds; null: not known. */
  readonly took_ms: number | null;
  /** The number of hosts, those beyond the end of the list included. */
  readonly of_all: number;
}

/** Hosts of a crawl in three lists of 20: those with most URLs, with most URLs lost, with the slowest answers. */
export const reportHosts = statement<[crawlId: string], ReportHost>('report-hosts', walkMs)`
   with per_host as materialized (
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
     from listed l join host h on h.id = l.host_id`;

export interface ReportPages {
  /** ISO 639-1; null: the language could not be told. */
  readonly language: string | null;
  readonly pages: number;
  /** Pages of all languages that have the same text as another page. */
  readonly all_duplicates: number;
  /** The number of languages. */
  readonly of_all: number;
}

/**
 * Pages of a crawl that were read, by language: the 50 most frequent languages. A page is read as `current_reading` has
 * it, here for all pages at once: the view asks of each which reading is in use, and of a million that took 30 s.
 */
export const reportPages = statement<[crawlId: string], ReportPages>('report-pages', walkMs)`
   with p as materialized (
     select distinct on (content_id) content_id, language
       from reading where crawl_id = $1 and job_id in (0, (select job_id from reading_in_use where crawl_id = $1))
      order by content_id, job_id desc
   )
   select p.language, count(*) as pages, (sum(count(u.alias_key)) over ())::bigint as all_duplicates,
          count(*) over () as of_all
     from p
     join content c on c.crawl_id = $1 and c.id = p.content_id
     join url u on u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key and u.content_id = c.id
    group by p.language order by pages desc, p.language limit 50`;

export interface ReportRendering {
  readonly rendered: number;
  readonly kept: number;
  readonly rounds: number;
  readonly words: number;
  readonly files: number;
}

/** What browsers did for a crawl. Of pages that were rendered the words are those of the page as it stands. */
export const reportRendering = statement<[crawlId: string], ReportRendering>('report-rendering')`
   select count(*) filter (where u.answer_hash is not null) as rendered,
          count(*) filter (where u.answer_hash is null and g.outcome is not null) as kept,
          coalesce(sum(g.rounds), 0)::bigint as rounds, coalesce(sum(g.lacks), 0)::bigint as files,
          coalesce(sum(greatest(0, p.words - coalesce(g.words_before, 0))) filter (where u.answer_hash is not null), 0)::bigint as words
     from host_queue q
     join rendering g on g.host_id = q.host_id and g.crawl_id = q.crawl_id
     join url u on u.host_id = g.host_id and u.crawl_id = g.crawl_id and u.key = g.key
     left join ${readingOf('u')}
    where q.crawl_id = $1`;
