import type { UrlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface PageFeedRow {
  /** Place in the feed: microseconds since 1970, host and key. */
  readonly micros: number;
  readonly host_id: number;
  readonly key: string;
  readonly url: string;
  readonly state: UrlState;
  readonly status: number | null;
  readonly reason: string | null;
  readonly content_hash: string | null;
  readonly content_type: string | null;
  readonly bytes: number;
  readonly depth: number;
  readonly fetched_at: Date;
  readonly redirect_to: string | null;
  readonly duplicate_of: string | null;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly words: number | null;
  readonly links: number | null;
  readonly noindex: boolean | null;
  readonly canonical: string | null;
  /** The page's links, packed (storage/outlinks.ts), and the origin they start from; null where there are none. */
  readonly outlinks: string | null;
  readonly origin: string | null;
}

export interface PagePlace {
  readonly micros: number;
  readonly hostId: string;
  /** Hex. */
  readonly key: string;
}

/**
 * The URLs of a crawl that were answered and have their outcome, in the order of `url_pages`, after a place and up to
 * a horizon (null: all). What extraction found comes from the page itself, else from the one it is a duplicate of.
 * Links are read only as far as `linkBytes` allows, and the rows behind them not at all; one row always comes.
 */
export const listPages = statement<
  [
    crawlId: string,
    micros: number,
    hostId: string,
    key: string,
    horizonMicros: number | null,
    limit: number,
    withLinks: boolean,
    linkBytes: number,
  ],
  PageFeedRow
>(
  'list-pages',
  `with feed as (
     select u.* from url u
      where u.crawl_id = $1 and u.fetched_at is not null and u.kind = 0 and u.state not in ('queued', 'leased')
        and (u.fetched_at, u.host_id, u.key) >
            (timestamptz 'epoch' + $2::bigint * interval '1 microsecond', $3::bigint, decode($4, 'hex'))
        and ($5::bigint is null or u.fetched_at < timestamptz 'epoch' + $5::bigint * interval '1 microsecond')
      order by u.fetched_at, u.host_id, u.key limit $6
   ), read as (
     select f.*, coalesce(p.host_id, o.host_id) as page_host, coalesce(p.key, o.key) as page_key,
            sum(case when $7 then coalesce(octet_length(p.outlinks), octet_length(o.outlinks), 0) else 0 end)
              over (order by f.fetched_at, f.host_id, f.key) as weight,
            row_number() over (order by f.fetched_at, f.host_id, f.key) as place
       from feed f
       left join page p on p.host_id = f.host_id and p.crawl_id = f.crawl_id and p.key = f.key
       left join page o on o.host_id = f.alias_host and o.crawl_id = f.crawl_id and o.key = f.alias_key
   )
   select (extract(epoch from r.fetched_at) * 1000000)::bigint as micros, r.host_id, encode(r.key, 'hex') as key,
          r.url, r.state, r.status, r.reason, encode(r.content_hash, 'hex') as content_hash, r.content_type, r.bytes,
          r.depth, r.fetched_at, r.redirect_to, original.url as duplicate_of, p.title, p.description, p.language,
          p.words, p.links, p.noindex, p.canonical, case when $7 then p.outlinks end as outlinks, h.origin
     from read r
     left join page p on p.host_id = r.page_host and p.crawl_id = r.crawl_id and p.key = r.page_key
     left join host h on h.id = p.host_id
     left join url original
       on original.host_id = r.alias_host and original.crawl_id = r.crawl_id and original.key = r.alias_key
    where r.place = 1 or r.weight <= $8
    order by r.fetched_at, r.host_id, r.key`,
);
