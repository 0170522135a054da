/** How visits to pages of standing crawls are noted, after they were committed. */
import type { UrlState } from '../../contracts/crawl.ts';
import { statement } from '../postgres/index.ts';
import { standsForItsBody } from '../pages/index.ts';
import { storedKinds, type StoredKind } from '../../domain/url-kind.ts';

/** A page as it stands after a visit, beside what earlier visits have shown (null: there was none). */
export interface VisitedPage {
  readonly host_id: number;
  /** Hex, as the signs. */
  readonly key: string;
  readonly url: string;
  readonly kind: StoredKind;
  readonly priority: number;
  readonly state: Extract<UrlState, 'done' | 'dead'>;
  readonly micros: number;
  readonly body_sign: string;
  readonly text_sign: string | null;
  /** 64 bits, signed; null: the page has no text, or too little. */
  readonly simhash: string | null;
  readonly changefreq: string | null;
  readonly lastmod_micros: number | null;
  readonly seen_micros: number | null;
  readonly visits: number | null;
  readonly unchanged_in_row: number | null;
  readonly dead_visits: number | null;
  readonly unchanged_days: number | null;
  readonly changed_after: readonly number[] | null;
  readonly old_body_sign: string | null;
  readonly old_text_sign: string | null;
  readonly old_simhash: string | null;
}

const micros = (at: string): string => `(extract(epoch from ${at}) * 1000000)::bigint`;

/**
 * Pages of a crawl that got their outcome after a place of the pages feed and before a horizon, in its order. A page
 * that only redirects has its target for a body. Made-up paths and what pages need are left out: a host is not asked for one anew.
 */
export const visitsAfter = statement<
  {
    crawlId: string;
    micros: number;
    hostId: number;
    key: Buffer;
    horizonMicros: number;
    limit: number;
  },
  VisitedPage
>('visits-after')`
   with feed as materialized (
     select u.* from url u
      where u.crawl_id = $crawlId and u.fetched_at is not null
        and (u.fetched_at, u.host_id, u.key) > (timestamptz 'epoch' + $micros::bigint * interval '1 microsecond', $hostId::bigint, $key::bytea)
        and u.fetched_at < timestamptz 'epoch' + $horizonMicros::bigint * interval '1 microsecond'
        and u.state in ('done', 'dead') and u.reason is distinct from 'fetched-elsewhere'
        and u.kind in (${String(storedKinds.page)}, ${String(storedKinds.sitemap)})
      order by u.fetched_at, u.host_id, u.key limit $limit
   )
   select u.host_id, encode(u.key, 'hex') as key, u.url, u.kind, u.priority, u.state, ${micros('u.fetched_at')} as micros,
          encode(substring(coalesce(u.content_hash, sha256(convert_to(coalesce(u.redirect_to, ''), 'UTF8'))) for 8), 'hex') as body_sign,
          encode(substring(p.text_hash for 8), 'hex') as text_sign, p.simhash::text as simhash,
          s.changefreq, ${micros('s.lastmod')} as lastmod_micros,
          ${micros('h.seen_at')} as seen_micros, h.visits, h.unchanged_in_row, h.dead_visits,
          h.unchanged_days, h.changed_after, encode(h.body_sign, 'hex') as old_body_sign,
          encode(h.text_sign, 'hex') as old_text_sign, h.simhash::text as old_simhash
     from feed u
     left join reading p on p.crawl_id = u.crawl_id and p.content_id = u.content_id and p.job_id = 0
      and ${standsForItsBody}
     left join page_history h on h.crawl_id = u.crawl_id and h.key = u.key and h.host_id = u.host_id
     left join sitemap_hint s on s.crawl_id = u.crawl_id and s.key = u.key and s.host_id = u.host_id
    order by u.fetched_at, u.host_id, u.key`;

/** What a visit has made of a page's history, as JSON. Bytes are hex strings. */
export interface NotedVisit {
  readonly host_id: number;
  readonly key: string;
  readonly class: number;
  readonly importance: number;
  readonly rate: number;
  readonly visits: number;
  readonly unchanged_in_row: number;
  readonly dead_visits: number;
  readonly unchanged_days: number;
  readonly changed_after: readonly number[];
  readonly micros: number;
  readonly changed: boolean;
  readonly body_sign: string;
  readonly text_sign: string | null;
  /** Of the text with which the next visit is compared. */
  readonly simhash: string | null;
  /** Null: the page is not visited again, or not for this crawl. */
  readonly due_in_days: number | null;
}

/** Stores histories. Answers how many pages were new. The caller must hold the standing crawl. */
export const noteVisits = statement<[crawlId: string, rows: string], { added: number }>('note-visits')`
   with r as materialized (
     select *, decode(r.key, 'hex') as place
       from json_to_recordset($2) as r(
            host_id bigint, key text, class smallint, importance real, rate real, visits int, unchanged_in_row int,
            dead_visits smallint, unchanged_days real, changed_after real[], micros bigint, changed boolean,
            body_sign text, text_sign text, simhash bigint, due_in_days float8)
      order by host_id, key
   ), stored as (
     insert into page_history as h (crawl_id, key, host_id, class, importance, rate, visits, unchanged_in_row, dead_visits,
                               unchanged_days, changed_after, seen_at, changed_at, body_sign, text_sign, simhash,
                               next_due)
     select $1, place, host_id, class, importance, rate, visits, unchanged_in_row, dead_visits, unchanged_days,
            changed_after, timestamptz 'epoch' + micros * interval '1 microsecond',
            case when changed then timestamptz 'epoch' + micros * interval '1 microsecond' end,
            decode(body_sign, 'hex'), decode(text_sign, 'hex'), simhash,
            timestamptz 'epoch' + micros * interval '1 microsecond' + due_in_days * interval '1 day'
       from r
     on conflict (crawl_id, key, host_id) do update
       set class = excluded.class, importance = excluded.importance, rate = excluded.rate, visits = excluded.visits,
           unchanged_in_row = excluded.unchanged_in_row, dead_visits = excluded.dead_visits,
           unchanged_days = excluded.unchanged_days, changed_after = excluded.changed_after,
           seen_at = excluded.seen_at, changed_at = coalesce(excluded.changed_at, h.changed_at),
           body_sign = excluded.body_sign, text_sign = excluded.text_sign,
           simhash = excluded.simhash, next_due = excluded.next_due
     returning xmax = 0 as is_new
   )
   select count(*) filter (where is_new) as added from stored`;

/**
 * Notes up to which place of the pages feed visits are noted, and counts pages that are new, and pages whose rates have
 * become known.
 */
export const noteProgress = statement<{
  crawlId: string;
  micros: number;
  hostId: number;
  key: Buffer;
  added: number;
  learnt: number;
}>('note-progress')`
   update standing_crawl set noted_micros = $micros, noted_host = $hostId, noted_key = $key, pages = pages + $added,
          rates_learnt = rates_learnt + $learnt where crawl_id = $crawlId`;

export interface SitemapHint {
  readonly host_id: number;
  readonly key: string;
  readonly changefreq: string | null;
  /** Milliseconds since 1970. */
  readonly lastmod: number | null;
}

/**
 * Stores what a sitemap says of pages. A date that is newer than the copy makes the page due at once, if the dates of
 * this host have held so far (`trustsLastmods`).
 */
export const noteHints = statement<[crawlId: number, trusted: boolean, rows: string], { due: number }>(
  'note-hints',
)`
   with r as materialized (
     select host_id, decode(key, 'hex') as key, changefreq, to_timestamp(lastmod / 1000) as lastmod
       from json_to_recordset($3) as r(host_id bigint, key text, changefreq text, lastmod float8)
      order by host_id, key
   ), stored as (
     insert into sitemap_hint (crawl_id, key, host_id, changefreq, lastmod)
     select $1, key, host_id, changefreq, lastmod from r
     on conflict (crawl_id, key, host_id) do update set changefreq = excluded.changefreq, lastmod = excluded.lastmod
   ), hurried as (
     update page_history h set next_due = now()
       from r where $2 and h.crawl_id = $1 and h.key = r.key and h.host_id = r.host_id
        and h.next_due > now() and r.lastmod > h.seen_at and r.lastmod <= now()
     returning 1
   )
   select count(*) as due from hurried`;

export const sitemapRecord = statement<[crawlId: number, hostId: number], { right: number; wrong: number }>(
  'sitemap-record',
)`
   select correct as "right", wrong from sitemap_record where crawl_id = $1 and host_id = $2`;

/** Counts dates that proved right or wrong. `rows`: [{host_id, correct, wrong}], one for each host. */
export const countDates = statement<[crawlId: string, rows: string]>('count-dates')`
   insert into sitemap_record as s (crawl_id, host_id, correct, wrong)
   select $1, host_id, correct, wrong from json_to_recordset($2) as r(host_id bigint, correct int, wrong int) order by host_id
   on conflict (crawl_id, host_id) do update set correct = s.correct + excluded.correct, wrong = s.wrong + excluded.wrong`;
