import { statement } from '../statement.ts';

/** Puts back what a slice leased and did not get to. */
export const returnUrls = statement<[hostId: string, token: number], { crawl_id: number }>(
  'return-urls',
  `update url set state = 'queued', lease_token = null
    where host_id = $1 and state = 'leased' and lease_token = $2
   returning crawl_id`,
);
