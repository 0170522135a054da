/** The sitemaps of a crawl. */
import type { SitemapView } from '../../contracts/http/sitemaps.ts';
import type { SitemapFormat, SitemapState } from '../../domain/sitemap-choice.ts';
import type { SitemapFault } from '../../domain/sitemap-faults.ts';
import type { UrlReason } from '../../domain/url-reason.ts';
import { statement, view, type Queryable } from '../postgres/index.ts';

export interface SitemapReport {
  readonly format: SitemapFormat;
  readonly pages: number;
  readonly sitemaps: number;
  readonly admitted: number;
  readonly faults: readonly SitemapFault[];
  readonly fault_count: number;
}

/**
 * Stores what was found in a sitemap. What is read again after a crash has admitted its URLs already, so the larger number
 * of new ones holds. @param faults as JSON
 */
const storeReport = statement<
  Omit<SitemapReport, 'faults'> & { host_id: number; crawl_id: number; key: string; faults: string }
>('store-sitemap-report')`
   insert into sitemap_report as s (host_id, crawl_id, key, format, pages, sitemaps, admitted, faults, fault_count)
   values ($host_id, $crawl_id, decode($key, 'hex'), $format, $pages, $sitemaps, $admitted, $faults, $fault_count)
   on conflict (crawl_id, host_id, key) do update
     set format = excluded.format, pages = excluded.pages, sitemaps = excluded.sitemaps,
         admitted = greatest(s.admitted, excluded.admitted), faults = excluded.faults,
         fault_count = excluded.fault_count, read_at = now()`;

/** @param key hex */
export const noteSitemap = (
  db: Queryable,
  { host_id, crawl_id, key }: { readonly host_id: number; readonly crawl_id: number; readonly key: string },
  report: SitemapReport,
): Promise<object[]> =>
  storeReport(db, { ...report, host_id, crawl_id, key, faults: JSON.stringify(report.faults) });

export interface SitemapRow extends Omit<SitemapView, 'why' | 'faults'> {
  readonly hostId: number;
  /** Hex. */
  readonly key: string;
  readonly reason: UrlReason | null;
  readonly detail: string | null;
  readonly faults: readonly SitemapFault[];
}

/**
 * Sitemaps of a crawl after a place, by host and key. A sitemap with the same bytes as another is not read, and stands as
 * that one does. @param states null: all
 */
export const listSitemaps = view<
  {
    crawlId: string;
    afterHost: string;
    afterKey: string;
    states: readonly SitemapState[] | null;
    limit: number;
  },
  SitemapRow
>('list-sitemaps')`
   select u.host_id, encode(u.key, 'hex') as key, u.url, s.shown as state, u.status, u.reason, u.detail,
          parent.url as named_by, u.seed, u.fetched_at, r.format, r.pages, r.sitemaps, r.admitted as new_urls,
          coalesce(r.faults, '[]') as faults, coalesce(r.fault_count, 0) as fault_count
     from url u
     left join sitemap_report r
       on r.crawl_id = u.crawl_id and r.host_id = coalesce(u.alias_host, u.host_id) and r.key = coalesce(u.alias_key, u.key)
     left join url parent
       on parent.host_id = u.parent_host and parent.crawl_id = u.crawl_id and parent.key = u.parent_key
    cross join lateral (
      select case
        when u.state in ('queued', 'leased') or (u.state = 'done' and u.stage > 0) then 'waiting'
        when u.state = 'excluded' then 'excluded'
        when u.state <> 'done' then 'failed'
        when r.fault_count > 0 then 'faulty'
        when r.fault_count = 0 then 'read'
        when u.redirect_to is not null then 'redirect'
        else 'failed'
      end as shown
    ) s
    where u.crawl_id = $crawlId and u.kind = 1 and (u.host_id, u.key) > ($afterHost, decode($afterKey, 'hex'))
      and ($states::text[] is null or s.shown = any ($states))
    order by u.host_id, u.key limit $limit`;
