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
  /** Its body is that of another page; a page that has only the same text as another has one of its own. */
  readonly is_copy: boolean;
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
          case when stands.of_it then encode(substring(p.text_hash for 8), 'hex') end as text_sign,
          case when stands.of_it then p.simhash::text end as simhash,
          not stands.of_it as is_copy,
          s.changefreq, ${micros('s.lastmod')} as lastmod_micros,
          ${micros('h.seen_at')} as seen_micros, h.visits, h.unchanged_in_row, h.dead_visits,
          h.unchanged_days, h.changed_after, encode(h.body_sign, 'hex') as old_body_sign,
          encode(h.text_sign, 'hex') as old_text_sign, h.simhash::text as old_simhash
     from feed u
    cross join lateral (select u.alias_host is null or ${standsForItsBody} as of_it) stands
     left join page p on p.host_id = u.host_id and p.crawl_id = u.crawl_id and p.key = u.key
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
  /** The sign of the body that the page had before and has no more; null: it has the same. */
  readonly lost_sign: string | null;
  /** What was read from the page once is not in it any more: the page is gone, or a copy of another. */
  readonly unread: boolean;
  /** Null: the page is not visited again, or not for this crawl. */
  readonly due_in_days: number | null;
}

/**
 * Stores histories. A page that is gone, or a copy now, loses what was read from it, with its fingerprint; pages that
 * were like it are judged again. A page that lost the body for which it was read gives that body to one of its copies; if there is
 * none, nobody refers to the body any more, and it is freed later. All its copies are judged again (dedup): the one that
 * has the body now is read, the others become its copies. Of a body with more than 5,000 copies the others are judged at
 * their own next visits, as is any page that was just visited and is called the copy of a page that does not stand for
 * its body. Answers how many pages were new. The caller must hold the standing crawl.
 */
export const noteVisits = statement<[crawlId: string, rows: string], { added: number }>('note-visits')`
   with r as materialized (
     select *, decode(r.key, 'hex') as place, decode(r.lost_sign, 'hex') as lost
       from json_to_recordset($2) as r(
            host_id bigint, key text, class smallint, importance real, rate real, visits int, unchanged_in_row int,
            dead_visits smallint, unchanged_days real, changed_after real[], micros bigint, changed boolean,
            body_sign text, text_sign text, simhash bigint, lost_sign text, unread boolean, due_in_days float8)
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
   ), forgotten as (
     delete from page p using r
      where r.unread and p.host_id = r.host_id and p.crawl_id = $1 and p.key = r.place
     returning p.host_id, p.key, p.text_hash
   ), due as (
     insert into text_due (crawl_id, text_hash, host_id, key)
     select $1, text_hash, host_id, key from forgotten where text_hash is not null
   ), prints as (
     delete from text_print t using r
      where r.unread and t.host_id = r.host_id and t.crawl_id = $1 and t.key = r.place
     returning t.id
   ), left_alone as (
     update text_print t set original = null, likeness = null, distance = null
       from prints p
      where t.crawl_id = $1 and t.original = p.id and t.original <> t.id
        and not exists (select from r where r.unread and r.host_id = t.host_id and r.place = t.key)
   ), copies as materialized (
     select r.host_id, r.place, copy.*
       from r
      cross join lateral (
        select u.host_id as copy_host, u.key as copy_key, u.content_hash as hash
          from (select h.host_id, h.key from page_history h
                 where h.crawl_id = $1 and h.body_sign = r.lost and h.dead_visits = 0
                   and not exists (select from r o where o.host_id = h.host_id and o.place = h.key)
                union all
                select o.host_id, o.place from r o where o.body_sign = r.lost_sign and o.dead_visits = 0) same
          join url u on u.host_id = same.host_id and u.crawl_id = $1 and u.key = same.key
         where u.alias_host = r.host_id and u.alias_key = r.place and substring(u.content_hash for 8) = r.lost
         limit 5000
      ) copy
      where r.lost is not null
   ), claims as materialized (
     select c.hash, c.site, r.host_id, r.place, heir.copy_host as heir_host, heir.copy_key as heir_key
       from r
       join content c on c.crawl_id = $1 and c.hash >= r.lost and c.hash < r.lost || '\\xffffffffffffffffffffffffffffffffffffffffffffffff'::bytea
        and c.host_id = r.host_id and c.key = r.place
       left join lateral (
         select copy_host, copy_key from copies k
          where k.host_id = r.host_id and k.place = r.place and k.hash = c.hash order by 1, 2 limit 1
       ) heir on true
      where r.lost is not null
   ), inherited as (
     update content c set host_id = k.heir_host, key = k.heir_key
       from claims k where k.heir_key is not null and c.crawl_id = $1 and c.hash = k.hash and c.site = k.site
   ), unclaimed as (
     delete from content c using claims k
      where k.heir_key is null and c.crawl_id = $1 and c.hash = k.hash and c.site = k.site
     returning c.hash
   ), freed as (
     insert into freed_body (hash) select distinct hash from unclaimed order by hash
     on conflict (hash) do update set since = now()
   ), adrift as (
     select copy_host as host_id, copy_key as key from copies
     union
     select u.host_id, u.key
       from r join url u on u.host_id = r.host_id and u.crawl_id = $1 and u.key = r.place
      where u.alias_host is not null and not exists (
              select from content c
               where c.crawl_id = $1 and c.hash = u.content_hash
                 and ((c.host_id, c.key) = (u.alias_host, u.alias_key)
                      or (c.host_id, c.key) = (u.host_id, u.key)
                         and exists (select from page p where p.host_id = u.host_id and p.crawl_id = $1 and p.key = u.key)))
   ), judged_again as (
     update url u set stage = 1 from adrift a
      where u.host_id = a.host_id and u.crawl_id = $1 and u.key = a.key and u.state = 'done' and u.stage = 0
        and u.content_hash is not null
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
