import { statement } from '../statement.ts';

/** The waits of crawls for their own delays are judged anew, because the settings of the host were changed. */
export const forgetTurns = statement<[hostId: string | number], Record<string, never>>(
  'forget-turns',
  `with held as materialized (
     select q.crawl_id from host_queue q where q.host_id = $1 and q.own_turn_at > now() order by q.crawl_id for update
   )
   update host_queue q set own_turn_at = '-infinity' from held where q.host_id = $1 and q.crawl_id = held.crawl_id`,
);
