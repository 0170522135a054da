/** How pages that are known already get other dates when the settings of their crawl change. */
import { statement } from '../postgres/index.ts';

/** Begins a walk over the known pages of a crawl. @param datedBy the settings by which they are dated */
export const beginDating = statement<[crawlId: string, datedBy: string]>('begin-dating')`
   update standing_crawl set dated_by = $2, dated_key = '', dated_host = 0 where crawl_id = $1`;

/** What the visits to a page have shown. */
export interface KnownPage {
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly importance: number;
  readonly visits: number;
  readonly unchanged_in_row: number;
  readonly dead_visits: number;
  readonly unchanged_days: number;
  readonly changed_after: readonly number[];
  readonly changefreq: string | null;
  /** The URL is at rest: it is neither queued nor in hand. */
  readonly rests: boolean;
}

/** Known pages of a crawl after one of them, in the order of their keys. */
export const knownPages = statement<[crawlId: string, key: Buffer, hostId: number, limit: number], KnownPage>(
  'known-pages',
)`
   select h.host_id, encode(h.key, 'hex') as key, coalesce(u.url, '') as url, h.importance, h.visits,
          h.unchanged_in_row, h.dead_visits, h.unchanged_days, h.changed_after, s.changefreq,
          coalesce(u.state in ('done', 'dead'), false) as rests
     from (select * from page_history
            where crawl_id = $1 and (key, host_id) > ($2::bytea, $3::bigint) order by key, host_id limit $4) h
     left join url u on u.host_id = h.host_id and u.crawl_id = h.crawl_id and u.key = h.key
     left join sitemap_hint s on s.crawl_id = h.crawl_id and s.key = h.key and s.host_id = h.host_id
    order by h.key, h.host_id`;

/** A page with its new date, as JSON. */
export interface DatedPage {
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly class: number;
  /** Days after its last visit; null: the page is not visited again. */
  readonly due_in_days: number | null;
}

/**
 * Dates pages anew: a page that is due already stays due, and none is put off. The walk is at the place given then; a
 * null key: at its end.
 */
export const datePages = statement<[crawlId: string, rows: string, key: Buffer | null, hostId: number]>(
  'date-pages',
)`
   with r as materialized (
     select host_id, decode(key, 'hex') as key, class, due_in_days
       from json_to_recordset($2) as r(host_id bigint, key text, class smallint, due_in_days float8)
      order by host_id, key
   ), dated as (
     update page_history h
        set class = r.class,
            next_due = case when r.due_in_days is not null
                            then least(h.next_due, h.seen_at + r.due_in_days * interval '1 day') end
       from r where h.crawl_id = $1 and h.key = r.key and h.host_id = r.host_id
   )
   update standing_crawl set dated_key = $3, dated_host = $4 where crawl_id = $1`;
