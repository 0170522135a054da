import { holdQueues, onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';

/** Queues again the best of the URLs that the limit for a host has kept out there; answers one row each. */
export const readmitLimited = statement<
  [crawlId: string, hostId: number, limit: number],
  { host_id: number }
>(
  'readmit-limited',
  `with place as (
     select $2::bigint as host_id, $1::bigint as crawl_id
   ), ${holdQueues('place')}, chosen as materialized (
     select key from url
      where host_id = $2 and crawl_id = $1 and state = 'excluded' and reason = 'host-limit' and ${onceHeld}
      order by priority desc, key limit $3
   )
   update url u set state = 'queued', reason = null, detail = null
     from chosen c
    where u.host_id = $2 and u.crawl_id = $1 and u.key = c.key and u.state = 'excluded' and u.reason = 'host-limit'
   returning u.host_id`,
);
