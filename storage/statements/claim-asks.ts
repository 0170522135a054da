import { statement } from '../statement.ts';

/**
 * Parked hosts for whose answer a crawl waits and whose workflows must be told, 50 at most: hosts whose workflow nobody
 * has told yet, or whose teller was not heard of for a minute.
 */
export const claimAsks = statement<[crawlId: number], { readonly host_id: string; readonly origin: string }>(
  'claim-asks',
  `with chosen as materialized (
     select q.host_id, h.origin from host_queue q join host h on h.id = q.host_id
      where q.crawl_id = $1 and q.asking < now() - interval '1 minute' and q.queued > 0 and h.parked_at is not null
      order by q.host_id limit 50 for update of q skip locked
   )
   update host_queue q set asking = now() from chosen c where q.host_id = c.host_id and q.crawl_id = $1
   returning c.host_id::text, c.origin`,
);
