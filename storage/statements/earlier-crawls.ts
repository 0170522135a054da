import { statement } from '../statement.ts';

/**
 * The latest crawls before this one that visited a host, newest first, whose stored bodies this crawl may use: crawls
 * of the same tenant with the same user agent and without headers of their own, since a server may answer others
 * differently.
 */
export const earlierCrawls = statement<[hostId: string, crawlId: number], { crawl_id: number }>(
  'earlier-crawls',
  `select q.crawl_id
     from host_queue q
     join crawl c on c.id = q.crawl_id
     join crawl own on own.id = $2 and own.tenant_id = c.tenant_id
      and own.config ->> 'userAgent' is not distinct from c.config ->> 'userAgent'
      and coalesce(own.config ->> 'headers', '{}') = '{}' and coalesce(c.config ->> 'headers', '{}') = '{}'
    where q.host_id = $1 and q.crawl_id < $2 and c.removed_at is null
    order by q.crawl_id desc limit 8`,
);
