import { bestCopyFirst, inboundOfCopies, keyOf } from '../copy-ranking.ts';
import { walkMs } from '../pool.ts';
import { statement } from '../statement.ts';

/**
 * Pages of a crawl with the same normalised text (F20) though their bodies differ, or with the same body though each
 * was read for a site of its own: one stands for the others, chosen as `chooseCanonicals` does. Each keeps what was
 * extracted from it. Judges all pages anew each time, so that a crawl that went on after its end has one page for each
 * text again. Answers how many pages changed their standing.
 */
export const markTextDuplicates = statement<[crawlId: number], { pages: number }>(
  'mark-text-duplicates',
  `with texts as (
     select host_id, key, text_hash, canonical, count(*) over (partition by text_hash) as pages
       from page where crawl_id = $1 and text_hash is not null
     union all
     select c.host_id, c.key, c.hash, p.canonical, c.sites
       from (select *, count(*) over (partition by hash) as sites from content where crawl_id = $1) c
       join page p on p.host_id = c.host_id and p.crawl_id = $1 and p.key = c.key
      where c.sites > 1 and p.text_hash is null
   ), copies as materialized (
     select t.host_id, t.key, t.text_hash, u.url, u.depth,
            ${keyOf('u.url')} as spelt,
            ${keyOf('t.canonical')} as canonical
       from texts t join url u on u.host_id = t.host_id and u.crawl_id = $1 and u.key = t.key
      where t.pages > 1
   ), ${inboundOfCopies}, judged as (
     select host_id, key, first_value(host_id) over best_first as owner_host,
            first_value(key) over best_first as owner_key
       from copies left join inbound using (host_id, key)
     window best_first as (partition by text_hash
                           order by ${bestCopyFirst})
   ), standing as (
     select host_id, key, case when key <> owner_key then owner_host end as alias_host,
            nullif(owner_key, key) as alias_key
       from judged
   ), standing_changed as (
     update url u set alias_host = s.alias_host, alias_key = s.alias_key
     from standing s
    where u.host_id = s.host_id and u.crawl_id = $1 and u.key = s.key
      and (u.alias_host, u.alias_key) is distinct from (s.alias_host, s.alias_key)
   returning 1
   )
   select count(*)::int as pages from standing_changed`,
  walkMs,
);
