import { statement } from '../statement.ts';

/** Removes what a crawl without URLs at a host still has there. */
export const removeHostShare = statement<[crawlId: number, hostId: number], Record<string, never>>(
  'remove-host-share',
  `with pages as (delete from page where host_id = $2 and crawl_id = $1),
        attempts as (delete from attempt where host_id = $2 and crawl_id = $1),
        letters as (delete from dead_letter where host_id = $2 and crawl_id = $1),
        lent as (delete from lent_url where host_id = $2 and crawl_id = $1)
   delete from host_queue where host_id = $2 and crawl_id = $1`,
);
