import { statement } from '../statement.ts';

/**
 * Notes that the crawl waits for one answer of each of these hosts that is parked and has queued URLs of the crawl. A
 * host that was asked for this crawl within the hour is not asked again: millions of seeds come in thousands of batches.
 */
export const askParkedHosts = statement<[crawlId: number, origins: readonly string[]], { host_id: number }>(
  'ask-parked-hosts',
  `with chosen as materialized (
     select q.host_id from host h join host_queue q on q.host_id = h.id and q.crawl_id = $1
      where h.origin = any ($2) and h.parked_at is not null and q.queued > 0
        and q.asking is null and coalesce(q.ask_answered_at, '-infinity') < now() - interval '1 hour'
      order by q.host_id for update of q
   )
   update host_queue q set asking = '-infinity' from chosen c where q.host_id = c.host_id and q.crawl_id = $1
   returning q.host_id`,
);
