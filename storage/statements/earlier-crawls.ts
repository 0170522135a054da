import { statement } from '../statement.ts';

/**
 * The latest crawls before this one that came to a host, newest first, of which this one may use what they kept: those
 * of the same tenant that went by the same name and sent no headers of their own, since a server may answer another one otherwise.
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
