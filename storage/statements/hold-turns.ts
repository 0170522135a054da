import { statement } from '../statement.ts';

/**
 * No crawl of the tenant has a turn at the host for so long, because of a report of the tenant's own foreign fetcher.
 */
export const holdTurns = statement<[hostId: number, crawlId: number, ms: number], Record<string, never>>(
  'hold-turns',
  `with held as materialized (
     select q.crawl_id from host_queue q join crawl c on c.id = q.crawl_id
      where q.host_id = $1 and c.tenant_id = (select tenant_id from crawl where id = $2)
      order by q.crawl_id for update of q
   )
   update host_queue q set held_until = greatest(q.held_until, now() + $3 * interval '1 millisecond')
     from held where q.host_id = $1 and q.crawl_id = held.crawl_id`,
);
