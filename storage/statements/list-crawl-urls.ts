import { statement } from '../statement.ts';

export interface CrawlUrlRow {
  readonly host_id: number;
  /** Hex. */
  readonly key: string;
  readonly url: string;
}

/**
 * Pages of a crawl that were answered or given up, host by host, after a place. Hosts come from `host_queue_crawl_host`
 * in their order, and the URLs of each host from the primary key, so that a batch costs what it answers plus the
 * excluded URLs in between, however many rows came before.
 */
export const listCrawlUrls = statement<
  [crawlId: string, afterHost: number, afterKey: string, limit: number],
  CrawlUrlRow
>(
  'list-crawl-urls',
  `select q.host_id, encode(u.key, 'hex') as key, u.url
     from host_queue q
    cross join lateral (
      select key, url from url
       where host_id = q.host_id and crawl_id = $1 and kind = 0 and state in ('done', 'dead', 'failed')
         and key > case when q.host_id = $2 then decode($3, 'hex') else ''::bytea end
       order by key limit $4
    ) u
    where q.crawl_id = $1 and q.host_id >= $2
    order by q.host_id, u.key limit $4`,
);
