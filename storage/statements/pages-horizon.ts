import { statement } from '../statement.ts';

/**
 * The instant up to which the pages feed of an open crawl is final, as microseconds since 1970: before it no row will
 * yet appear, or change what the feed says of it. Rows get `fetched_at` after their transaction began, so no row that
 * is still to be committed comes before the oldest open transaction; nor does the feed pass a body that waits for
 * extraction. The caller must ask before it reads the feed, in a statement of its own: what this statement saw
 * committed, the later snapshot sees too. The second taken off covers the instant between a transaction's start and its
 * showing in pg_stat_activity.
 */
export const pagesHorizon = statement<[crawlId: string], { micros: number }>(
  'pages-horizon',
  `with unfinished as materialized (
     select fetched_at from url where crawl_id = $1 and stage > 0
   )
   select (extract(epoch from least(
            (select min(fetched_at) from unfinished),
            (select min(xact_start) from pg_stat_activity
              where datname = current_database() and application_name = 'orbweaver' and pid <> pg_backend_pid()),
            now()) - interval '1 second') * 1000000)::bigint as micros`,
);
