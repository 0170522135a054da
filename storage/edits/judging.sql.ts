/** URLs and pages that are judged again by a new version. */
import { storedKinds } from '../../domain/url-kind.ts';
import type { ExcludedReason, QueuedReason, UrlReason } from '../../domain/url-reason.ts';
import { readingOf, standsForItsBody } from '../pages/index.ts';
import { statement } from '../postgres/index.ts';
import { holdQueues, onceHeld } from '../frontier/index.ts';

interface RuledFields {
  readonly host_id: number;
  readonly origin: string;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly depth: number;
  readonly detail: string | null;
  readonly content_type: string | null;
  /** HTTP status of the last answer. */
  readonly status: number | null;
  readonly seed: boolean;
  /** The URL is a sitemap that its host's robots.txt names; such a sitemap is read wherever it lies. */
  readonly unruled: boolean;
  /** The URL is a sitemap on the host of the sitemap that names it. */
  readonly vouched: boolean;
  /** A page needs it to be shown. */
  readonly requisite: boolean;
}

export type RuledUrl = RuledFields &
  (
    | { readonly state: 'queued'; readonly reason: QueuedReason | null }
    | { readonly state: 'excluded'; readonly reason: ExcludedReason }
  );

/**
 * URLs of a crawl that changed settings may move: URLs that are queued, or excluded for one of `reasons`; host by host,
 * after a place.
 */
export const urlsToJudge = statement<
  [crawlId: string, afterHost: number, afterKey: string, reasons: readonly ExcludedReason[], limit: number],
  RuledUrl
>('urls-to-judge')`
   select u.host_id, h.origin, encode(u.key, 'hex') as key, u.url, u.state, u.depth, u.reason, u.detail,
          u.content_type, u.status, u.seed, u.kind = 1 and u.parent_key is null as unruled,
          u.kind = 1 and u.parent_host is not distinct from u.host_id as vouched,
          u.kind = ${String(storedKinds.requisite)} as requisite
     from host_queue q
     join host h on h.id = q.host_id
    cross join lateral (
      select * from url
       where host_id = q.host_id and crawl_id = q.crawl_id
         and key > case when q.host_id = $2 then decode($3, 'hex') else '' end
         and (state = 'queued' or (state = 'excluded' and reason = any ($4)))
       order by key limit $5) u
    where q.crawl_id = $1 and q.host_id >= $2
    order by q.host_id, u.key limit $5`;

/** URLs at a host that the limit for a host excludes, best first, after one of them ('': from the first on). */
export const limitedUrls = statement<
  [crawlId: string, hostId: number, afterKey: string, limit: number],
  RuledUrl
>('limited-urls')`
   with place as (
     select key, priority from url
      where $3 <> '' and host_id = $2 and crawl_id = $1 and key = decode($3, 'hex')
   )
   select u.host_id, h.origin, encode(u.key, 'hex') as key, u.url, u.state, u.depth, u.reason, u.detail, u.content_type,
          u.status, u.seed, u.kind = 1 and u.parent_key is null as unruled,
          u.kind = 1 and u.parent_host is not distinct from u.host_id as vouched,
          u.kind = ${String(storedKinds.requisite)} as requisite
     from url u join host h on h.id = u.host_id
    where u.host_id = $2 and u.crawl_id = $1 and u.state = 'excluded' and u.reason = 'host-limit'
      and ($3 = '' or exists (select from place p
                               where u.priority < p.priority or (u.priority = p.priority and u.key > p.key)))
    order by u.priority desc, u.key limit $4`;

interface Judged {
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly was: 'queued' | 'excluded';
  readonly was_reason: UrlReason | null;
}

interface Admitted {
  readonly state: 'queued';
  readonly reason: null;
  readonly detail: null;
}

interface Excluded {
  readonly state: 'excluded';
  readonly reason: ExcludedReason;
  readonly detail: string | null;
}

/** A URL that changed settings move. */
export type JudgedUrl = Judged & (Admitted | Excluded);

/**
 * Moves URLs that are still as they were judged; answers those. Everything else about them stays, the time at which
 * they are due included. `rows`: `JudgedUrl`s, each with its `crawl_id`.
 */
export const judgeUrls = statement<
  [rows: string],
  { host_id: number; was: 'queued' | 'excluded'; state: 'queued' | 'excluded' }
>('judge-urls')`
   with r as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text, was url_state, was_reason text,
                                              state url_state, reason text, detail text)
      order by host_id, key
   ), ${holdQueues('r')}
   update url u set state = r.state, reason = r.reason, detail = r.detail
     from r
    where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = decode(r.key, 'hex')
      and u.state = r.was and u.reason is not distinct from r.was_reason and ${onceHeld}
   returning u.host_id, r.was, u.state`;

export interface HostAtLimit {
  readonly host_id: number;
  readonly origin: string;
  /** URLs of the crawl at the host. */
  readonly total: number;
  /** How many of these are excluded because there were too many. */
  readonly limited: number;
}

/** Hosts of a crawl after one, each with the number of its URLs that the crawl's limit for a host excludes. */
export const hostsAtLimit = statement<[crawlId: string, afterHost: number, limit: number], HostAtLimit>(
  'hosts-at-limit',
)`
   select q.host_id, h.origin, q.total, u.limited
     from host_queue q
     join host h on h.id = q.host_id
    cross join lateral (
      select count(*) as limited from url
       where host_id = q.host_id and crawl_id = q.crawl_id and state = 'excluded' and reason = 'host-limit') u
    where q.crawl_id = $1 and q.host_id > $2
    order by q.host_id limit $3`;

export interface StoredLinks {
  readonly host_id: number;
  /** Of the page by whose URL they were resolved. */
  readonly origin: string;
  /** Hex. */
  readonly key: string;
  readonly depth: number;
  readonly priority: number;
  /** Packed (storage/pages/outlinks.ts). */
  readonly outlinks: string;
}

/** Bytes of links that one statement reads, about; pages of 10,000 links come a few at a time. */
const linkBytes = 1024 * 1024;

/**
 * Stored pages of a crawl with their links, host by host, after a place. Fewer pages than the limit come if their links
 * are large.
 */
export const pagesToReread = statement<
  [crawlId: string, afterHost: number, afterKey: string, limit: number],
  StoredLinks
>('pages-to-reread')`
   with found as (
     select p.*, octet_length(r.outlinks) as bytes
       from host_queue q
      cross join lateral (
        select u.host_id, u.crawl_id, u.key, u.depth, u.priority, u.content_id from url u
         where u.host_id = q.host_id and u.crawl_id = q.crawl_id
           and u.key > case when q.host_id = $2 then decode($3, 'hex') else '' end and ${standsForItsBody}
           and exists (select from reading e where e.crawl_id = u.crawl_id and e.content_id = u.content_id offset 0)
         order by u.key limit $4) p
       join current_reading r on r.crawl_id = p.crawl_id and r.content_id = p.content_id
      where q.crawl_id = $1 and q.host_id >= $2
      order by q.host_id, p.key limit $4
   ), weighed as (
     select *, sum(bytes) over (order by host_id, key) - bytes as before from found
   )
   select w.host_id, h.origin, encode(w.key, 'hex') as key, w.depth, w.priority, p.outlinks
     from weighed w join ${readingOf('w')} join host h on h.id = p.host_id
    where w.before < ${linkBytes}
    order by w.host_id, w.key`;
