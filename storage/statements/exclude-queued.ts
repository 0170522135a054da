import { statement } from '../statement.ts';

/** Excludes up to `limit` of a crawl's queued URLs; answers one row each. */
export const excludeQueued = statement<[crawlId: number, reason: string, limit: number], { host_id: number }>(
  'exclude-queued',
  `with chosen as materialized (
     select u.host_id, u.key
       from host_queue q
       join url u on u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.state = 'queued'
      where q.crawl_id = $1 and q.queued > 0
      order by u.host_id, u.key limit $3
      for update of u skip locked
   )
   update url u set state = 'excluded', reason = 'crawl-limit', detail = $2
     from chosen c where u.host_id = c.host_id and u.crawl_id = $1 and u.key = c.key and u.state = 'queued'
   returning u.host_id`,
);
