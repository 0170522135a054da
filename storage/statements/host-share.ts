import { statement } from '../statement.ts';

/** How many URLs a crawl has at a host, whatever became of them. No row: it has never met the host. */
export const hostShare = statement<[crawlId: string, origin: string], { host_id: number; urls: number }>(
  'host-share',
  `select q.host_id, q.total as urls
     from host h join host_queue q on q.host_id = h.id and q.crawl_id = $1
    where h.origin = $2`,
);
