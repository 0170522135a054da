import { statement } from '../statement.ts';

/**
 * The first page with a body stands for that body. This holds apart for each site that is read in its own right (`site`
 * other than 0), and for all other sites together, which are not asked for what one of those has; later pages change
 * nothing. `rows`: [{crawl_id, hash, site, host_id, key}].
 */
export const claimContents = statement<[rows: string], Record<string, never>>(
  'claim-contents',
  `insert into content (crawl_id, hash, site, host_id, key)
   select r.crawl_id, b.hash, r.site, r.host_id, decode(r.key, 'hex')
     from json_to_recordset($1) as r(crawl_id bigint, hash text, site bigint, host_id bigint, key text)
    cross join lateral (select decode(r.hash, 'hex') as hash) b
    where r.site > 0 or not exists (select from content c where c.crawl_id = r.crawl_id and c.hash = b.hash)
    order by r.crawl_id, b.hash, r.site
   on conflict (crawl_id, hash, site) do nothing`,
);
