import { statement } from '../statement.ts';

/**
 * Takes the locks the url triggers of a transaction will need, in the one order everybody uses: by host, then crawl.
 * `rows`: [{host_id, crawl_id}], in any order. Rows that do not exist yet are made by the triggers.
 */
export const lockHostQueues = statement<[rows: string], Record<string, never>>(
  'lock-host-queues',
  `select from host_queue q
    where (q.host_id, q.crawl_id) in (select host_id, crawl_id from json_to_recordset($1) as r(host_id bigint, crawl_id bigint))
    order by q.host_id, q.crawl_id for update`,
);
