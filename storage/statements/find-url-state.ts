import type { UrlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

/** Where a URL stands in a crawl; no row: the crawl has not met it. @param key hex. */
export const findUrlState = statement<[origin: string, crawlId: string, key: string], { state: UrlState }>(
  'find-url-state',
  `select u.state from host h join url u on u.host_id = h.id
    where h.origin = $1 and u.crawl_id = $2 and u.key = decode($3, 'hex')`,
);
