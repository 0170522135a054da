import { statement } from '../statement.ts';

/** No crawl waits any more for an answer of the host: the host was asked, or asking would be pointless. */
export const answerAsks = statement<[hostId: string], { crawl_id: number }>(
  'answer-asks',
  `with chosen as materialized (
     select crawl_id from host_queue where host_id = $1 and asking is not null order by crawl_id for update
   )
   update host_queue q set asking = null, ask_answered_at = now() from chosen c where q.host_id = $1 and q.crawl_id = c.crawl_id
   returning q.crawl_id`,
);
