import { statement } from '../statement.ts';

/**
 * How many sitemaps led to this one, one naming the next; redirects between them do not count. 0: robots.txt names it.
 * @param key hex
 */
export const sitemapLevel = statement<[hostId: number, crawlId: number, key: string], { level: number }>(
  'sitemap-level',
  `with recursive up as (
     select parent_host, parent_key, 0 as level, 0 as steps
       from url where host_id = $1 and crawl_id = $2 and key = decode($3, 'hex')
     union all
     select u.parent_host, u.parent_key, up.level + (u.redirect_to is null)::int, up.steps + 1
       from up join url u on u.host_id = up.parent_host and u.crawl_id = $2 and u.key = up.parent_key
      where u.kind = 1 and up.steps < 100
   )
   select max(level)::int as level from up`,
);
