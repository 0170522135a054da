import { bestCopyFirst, inboundOfCopies, keyOf } from '../copy-ranking.ts';
import { walkMs } from '../pool.ts';
import { statement } from '../statement.ts';

/**
 * Chooses the page that stands for each body several pages of a crawl have (F20): the one its own rel=canonical
 * names, else the one that most redirects and other pages' rel=canonical name, else the one most links lead to, else
 * the one found nearest to a seed, else the one with the shortest URL. The others become its aliases, and what was
 * extracted moves with the choice. Answers how many pages changed their standing. A body that was read for
 * several sites has a choice for each; `markTextDuplicates` chooses among those.
 */
export const chooseCanonicals = statement<[crawlId: number], { pages: number }>(
  'choose-canonicals',
  `with bodies as (
     select host_id, key, url, depth, content_hash, alias_key, count(*) over (partition by content_hash) as pages
       from url
      where crawl_id = $1 and fetched_at is not null and state = 'done' and stage = 0 and content_hash is not null
   ), copies as materialized (
     select b.host_id, b.key, ${keyOf('b.url')} as spelt, b.content_hash, b.url,
            b.depth, c.host_id as owner_host, c.key as owner_key,
            ${keyOf('p.canonical')} as canonical
       from bodies b
       join lateral (
         select host_id, key from content
          where crawl_id = $1 and hash = b.content_hash
          order by key = b.key desc, coalesce(key = b.alias_key, false) desc, site limit 1
       ) c on true
       left join page p on p.host_id = c.host_id and p.crawl_id = $1 and p.key = c.key
      where b.pages > 1
   ), ${inboundOfCopies}, chosen as (
     select distinct on (owner_host, owner_key) content_hash, host_id, key, owner_host, owner_key
       from copies left join inbound using (host_id, key)
      order by owner_host, owner_key, ${bestCopyFirst}
   ), changed as (
     select * from chosen where (host_id, key) <> (owner_host, owner_key)
   ), owned as (
     update content c set host_id = n.host_id, key = n.key
       from changed n where c.crawl_id = $1 and c.hash = n.content_hash
        and (c.host_id, c.key) = (n.owner_host, n.owner_key)
   ), moved as (
     update page p set host_id = n.host_id, key = n.key
       from changed n where p.crawl_id = $1 and p.host_id = n.owner_host and p.key = n.owner_key
   ), standing_changed as (
     update url u
      set alias_host = case when (u.host_id, u.key) = (n.host_id, n.key) then null else n.host_id end,
          alias_key = case when (u.host_id, u.key) = (n.host_id, n.key) then null else n.key end
     from changed n join copies k using (owner_host, owner_key)
    where u.crawl_id = $1 and u.host_id = k.host_id and u.key = k.key
   returning 1
   )
   select count(*)::int as pages from standing_changed`,
  walkMs,
);
