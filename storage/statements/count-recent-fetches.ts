import { statement } from '../statement.ts';

/** URLs answered within the last `seconds`. */
export const countRecentFetches = statement<[crawlId: string, seconds: number], { fetches: number }>(
  'count-recent-fetches',
  `select count(*) as fetches from url
    where crawl_id = $1 and fetched_at > now() - $2 * interval '1 second'`,
);
