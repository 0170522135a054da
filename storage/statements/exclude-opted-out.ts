import { statement } from '../statement.ts';

/** Excludes up to `limit` URLs queued at a host that has opted out, of all crawls; answers one row each. */
export const excludeOptedOut = statement<
  [hostId: string, detail: string, limit: number],
  { crawl_id: number }
>(
  'exclude-opted-out',
  `with chosen as materialized (
     select crawl_id, key from url
      where host_id = $1 and state = 'queued'
      order by crawl_id, key limit $3
      for update skip locked
   )
   update url u set state = 'excluded', reason = 'opt-out', detail = $2
     from chosen c where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id`,
);
