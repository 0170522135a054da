import { statement } from '../statement.ts';

/**
 * Pages of a crawl whose normalised text is the same (F20), though their bodies differ: the one found nearest to a
 * seed stands for the others. What was extracted of each stays.
 */
export const markTextDuplicates = statement<[crawlId: number], { host_id: number }>(
  'mark-text-duplicates',
  `with copies as (
     select p.host_id, p.key,
            first_value(p.host_id) over first_found as owner_host, first_value(p.key) over first_found as owner_key
       from page p
       join url u on u.host_id = p.host_id and u.crawl_id = p.crawl_id and u.key = p.key
      where p.crawl_id = $1 and p.text_hash is not null and u.alias_key is null
     window first_found as (partition by p.text_hash order by (u.url = p.canonical) desc nulls last,
                                                              u.depth, length(u.url), u.url)
   )
   update url u set alias_host = c.owner_host, alias_key = c.owner_key
     from copies c
    where u.host_id = c.host_id and u.crawl_id = $1 and u.key = c.key
      and (c.host_id, c.key) <> (c.owner_host, c.owner_key)
   returning u.host_id`,
);
