import { statement } from '../statement.ts';

/** Excludes up to `limit` URLs queued at a host, for good, with the reason; answers one row each. */
export const dropHost = statement<[hostId: string, reason: string, limit: number], { crawl_id: number }>(
  'drop-host',
  `with chosen as materialized (
     select crawl_id, key from url
      where host_id = $1 and state = 'queued'
      order by crawl_id, key limit $3
      for update
   )
   update url u set state = 'excluded', reason = 'dropped', detail = $2
     from chosen c where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id`,
);
