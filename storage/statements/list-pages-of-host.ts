import { fitsFeed, readFeed, withinFeed, type FeedParams } from '../page-feed.ts';
import { statement } from '../statement.ts';
import type { PageFeedRow } from './list-pages.ts';

/**
 * As list-pages.ts, for one host with few URLs (host-share.ts): all of them are read by the primary key, and sorted.
 * They are held apart (`materialized`), since otherwise the order would make Postgres walk the whole crawl if it takes
 * the host's rows for many.
 */
export const listPagesOfHost = statement<[...params: FeedParams, hostId: number], PageFeedRow>(
  'list-pages-of-host',
  `with at_host as materialized (
     select * from url where host_id = $12 and crawl_id = $1 and fetched_at is not null
   ), feed as (
     select u.*, true as fits, 0::bigint as looked from at_host u
      where ${withinFeed} and ${fitsFeed}
      order by u.fetched_at, u.host_id, u.key limit $6
   ), ${readFeed}`,
);
