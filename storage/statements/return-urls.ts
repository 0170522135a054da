import { onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';

/** Puts back URLs that a slice leased and did not get to; they do not count as the crawl's turns (lease-urls.ts). */
export const returnUrls = statement<[hostId: string, token: number], { crawl_id: number }>(
  'return-urls',
  `with held as materialized (
     select from host_queue where host_id = $1 and leased > 0 order by crawl_id for update
   ), back as (
     update url set state = 'queued', lease_token = null
      where host_id = $1 and state = 'leased' and lease_token = $2 and ${onceHeld}
     returning crawl_id
   ), unserved as (
     select crawl_id, count(*) as urls from back group by crawl_id
   ), accounted as (
     update host_queue q set served = q.served - u.urls * q.worth
       from unserved u where q.host_id = $1 and q.crawl_id = u.crawl_id and q.served > '-infinity'
   )
   select crawl_id from back`,
);
