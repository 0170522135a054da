/** Links to URLs that the frontier has already: counted, and turned into new scores while the URLs wait. */
import { statement } from '../postgres/index.ts';
import { holdQueues, onceHeld, stateOfNamed } from './queue-locks.ts';

/** A URL with new links, as JSON. Sketches as text (domain/priority/link-sketch.ts), the key in hex. */
export interface LinkedRow {
  /** Number of the row, in the answer again. */
  readonly at: number;
  readonly crawl_id: number;
  readonly origin: string;
  readonly key: string;
  readonly hosts: string;
  readonly pages: string;
  /** What its links promise of the crawl's focus; null: the crawl has none. */
  readonly relevance: number | null;
}

/** A URL that waits, with all that is stored of its links. */
export interface LinkedUrl {
  readonly at: number;
  readonly host_id: number;
  readonly depth: number;
  readonly priority: number;
  /** Of the page on which the URL was found; null: none. */
  readonly parent_priority: number | null;
  readonly hosts: string;
  readonly pages: string;
  readonly relevance: number | null;
  readonly lastmod: Date | null;
}

/**
 * Adds links to those that are stored, for pages that wait and have not failed. Seeds, redirect targets
 * and pages that are fetched again are left out: their place in line is not by links. A URL that is not in the answer needs no more counting.
 */
export const addLinks = statement<[rows: string], LinkedUrl>('add-links')`
   with r as materialized (
     select r.at, h.id as host_id, r.crawl_id, decode(r.key, 'hex') as key, r.hosts, r.pages, r.relevance, ${stateOfNamed('queued')}
       from json_to_recordset($1) as r(at int, crawl_id bigint, origin text, key text, hosts bigint, pages bigint,
                                        relevance real)
       join host h on h.origin = r.origin
   ), waiting as materialized (
     select r.*, u.depth, u.priority, u.parent_host, u.parent_key
       from r cross join lateral (
         select * from url where host_id = r.host_id and crawl_id = r.crawl_id and key = r.key and state = r.was offset 0) u
      where u.kind = 0 and not u.seed and u.hops = 0 and u.priority > 0 and u.reason is distinct from 'recrawl'
   ), kept as (
     insert into link_count as l (host_id, crawl_id, key, hosts, pages, relevance)
     select host_id, crawl_id, key, hosts, pages, relevance from waiting order by host_id, crawl_id, key
     on conflict (host_id, crawl_id, key) do update
       set hosts = l.hosts | excluded.hosts, pages = l.pages | excluded.pages,
           relevance = greatest(l.relevance, excluded.relevance)
     returning host_id, crawl_id, key, hosts, pages, relevance, lastmod
   )
   select w.at, w.host_id, w.depth, w.priority, p.priority as parent_priority, k.hosts::text, k.pages::text,
          k.relevance, k.lastmod
     from waiting w
     join kept k using (host_id, crawl_id, key)
     left join url p on p.host_id = w.parent_host and p.crawl_id = w.crawl_id and p.key = w.parent_key`;

/** A new score for a URL that waits; keys in hex. `was`: the score that the new one replaces. */
export interface RescoredRow {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly was: number;
  readonly priority: number;
}

/** URLs that have meanwhile been leased, have failed or got another score are left as they are. */
export const rescoreUrls = statement<[rows: string]>('rescore-urls')`
   with r as materialized (
     select host_id, crawl_id, decode(key, 'hex') as key, was as replaced, priority, ${stateOfNamed('queued')}
       from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text, was real, priority real)
   ), ${holdQueues('r')}
   update url u set priority = r.priority
     from r
    where u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = r.key and u.state = r.was
      and u.priority = r.replaced and ${onceHeld}`;

/**
 * Notes what the links to URLs promise, and the last change that a sitemap names, for those that wait.
 * `rows`: [{host_id, crawl_id, key, relevance, lastmod}], of which either may be absent.
 */
export const notePromises = statement<[rows: string]>('note-promises')`
   insert into link_count as l (host_id, crawl_id, key, hosts, pages, relevance, lastmod)
   select u.host_id, u.crawl_id, u.key, 0, 0, max(r.relevance), to_timestamp(max(r.lastmod) / 1000)
     from (select host_id, crawl_id, decode(key, 'hex') as key, relevance, lastmod, ${stateOfNamed('queued')}
             from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text, relevance real, lastmod float8)) r
     join url u on u.host_id = r.host_id and u.crawl_id = r.crawl_id and u.key = r.key and u.state = r.was
    group by u.host_id, u.crawl_id, u.key order by u.host_id, u.crawl_id, u.key
   on conflict (host_id, crawl_id, key) do update
     set relevance = greatest(l.relevance, excluded.relevance), lastmod = greatest(l.lastmod, excluded.lastmod)`;

/** A page that waits for its first visit and has not failed, with what its score is made of. */
export interface ScoredUrl {
  readonly host_id: number;
  readonly origin: string;
  /** Hex. */
  readonly key: string;
  readonly url: string;
  readonly depth: number;
  readonly priority: number;
  /** Of the page on which the URL was found, and whether that is a page of its own host; null: none. */
  readonly parent_priority: number | null;
  readonly parent_is_host: boolean | null;
  /** Sketches; null: it has no score for its links yet. */
  readonly hosts: string | null;
  readonly pages: string | null;
  readonly relevance: number | null;
  readonly lastmod: Date | null;
}

/** Those of the URLs that have their place in line by their score. `rows`: [{host_id, key}], keys in hex. */
export const urlsToScore = statement<[crawlId: string, rows: string], ScoredUrl>('urls-to-score')`
   select u.host_id, h.origin, encode(u.key, 'hex') as key, u.url, u.depth, u.priority, p.priority as parent_priority,
          u.parent_host = u.host_id as parent_is_host, k.hosts::text, k.pages::text, k.relevance, k.lastmod
     from (select host_id, decode(key, 'hex') as key, ${stateOfNamed('queued')}
             from json_to_recordset($2) as r(host_id bigint, key text)) r
     join url u on u.host_id = r.host_id and u.crawl_id = $1 and u.key = r.key and u.state = r.was
     join host h on h.id = u.host_id
     left join url p on p.host_id = u.parent_host and p.crawl_id = u.crawl_id and p.key = u.parent_key
     left join link_count k on k.host_id = u.host_id and k.crawl_id = u.crawl_id and k.key = u.key
    where u.kind = 0 and not u.seed and u.hops = 0 and u.priority > 0 and u.reason is distinct from 'recrawl'
    order by u.host_id, u.key`;

/** Puts hosts of a crawl that wait for a place into the queues of their tiers, after URLs there got other scores. */
export const settleTiers = statement<[crawlId: string, hostIds: readonly number[]]>('settle-tiers')`
   with held as materialized (
     select q.host_id, due_tier(q.host_id, q.crawl_id) as tier from host_queue q
      where q.crawl_id = $1 and q.host_id = any ($2) and q.has_queued order by q.host_id for update
   )
   update host_queue q set tier = held.tier
     from held where q.crawl_id = $1 and q.host_id = held.host_id and q.tier <> held.tier`;
