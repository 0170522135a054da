import type { UrlState } from '../../contracts/crawl.ts';
import type { Cut } from '../../domain/limits.ts';
import { fitsFeed, readFeed, withinFeed, type FeedParams } from '../page-feed.ts';
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
  readonly cut: Cut | null;
  /** The page's links, packed (storage/outlinks.ts), and the origin they start from; null where there are none. */
  readonly outlinks: string | null;
  readonly origin: string | null;
  /** False: the row is not asked for; it is where looking ended. */
  readonly fits: boolean;
  /** How many rows were looked at up to this one. */
  readonly looked: number;
}

export interface PagePlace {
  readonly micros: number;
  readonly hostId: string;
  /** Hex. */
  readonly key: string;
}

/**
 * The URLs of a crawl that were answered and have their outcome, in the order of `url_pages`, after a place and up to
 * a horizon (null: all): those that fit the filters (null: any), of the next `mostLooked` rows. Where so many were looked
 * at, the last of them comes too, whether it fits or not. What extraction found, and how far links are read, is in
 * storage/page-feed.ts.
 */
export const listPages = statement<
  [...params: FeedParams, hostFilter: number | null, mostLooked: number],
  PageFeedRow
>(
  'list-pages',
  `with feed as (
     select * from (
       select u.*, ${fitsFeed} and ($12::bigint is null or u.host_id = $12) as fits,
              row_number() over (order by u.fetched_at, u.host_id, u.key) as looked
         from url u
        where u.crawl_id = $1 and u.fetched_at is not null and ${withinFeed}
        order by u.fetched_at, u.host_id, u.key limit $13
     ) walk
      where fits or looked = $13
      order by fetched_at, host_id, key limit $6
   ), ${readFeed}`,
);
