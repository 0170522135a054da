/** The choice among all copies of a crawl, by all that is known: at the end of a crawl, and once a day while it stands. */
import { allowWalk, statement, walkMs, type Queryable } from '../postgres/index.ts';
import { bestCopyFirst, inboundOfCopies, keyOf, siteOf, standsForItsBody } from './copy-ranking.ts';
import { holdRanking } from './ranking-lock.sql.ts';

/**
 * Chooses which page stands for each body and each text of a crawl. The caller must be in a transaction. Answers how many
 * pages have become copies, are copies of another page now, or are copies no more.
 */
export async function rankCopies(db: Queryable, crawlId: number): Promise<number> {
  await allowWalk(db);
  await holdRanking(db);
  const [bodies] = await chooseCanonicals(db, crawlId);
  const [texts] = await markTextDuplicates(db, crawlId);
  return (bodies?.pages ?? 0) + (texts?.pages ?? 0);
}

/**
 * For each body that several pages of a crawl have, chooses the page that stands for it (F20): the page that its own
 * rel=canonical names, else the page that most others name as theirs and are believed, else the page to which most
 * redirects lead, else most links, else the page nearest to a seed, else the page with the shortest URL. The others
 * become its aliases. A body that was read for several sites has one chosen page for each; `markTextDuplicates` chooses
 * among these. A body whose page has not been read yet, or is being fetched again, stays what it is; but a page that failed
 * or is excluded stands for nobody, and becomes a copy of one that is there. Copies that are being fetched again are told
 * of their page later (`content_due`). Answers as `rankCopies`.
 */
const chooseCanonicals = statement<[crawlId: number], { pages: number }>('choose-canonicals', walkMs)`
   with bodies as (
     select host_id, key, url, depth, content_id, content_hash, count(*) over (partition by content_id) as pages
       from url
      where crawl_id = $1 and fetched_at is not null and state = 'done' and stage = 0 and content_hash is not null
        and content_id is not null and kind = 0
   ), copies as materialized (
     select b.host_id, b.key, ${keyOf('b.url')} as spelt, b.content_id, b.url, b.depth, $1::bigint as crawl_id,
            ${keyOf('p.canonical')} as canonical, p.text_hash, ${siteOf('h.origin')} as site
       from bodies b
       join host h on h.id = b.host_id
       join content c on c.crawl_id = $1 and c.id = b.content_id
       join url o on o.host_id = c.host_id and o.crawl_id = $1 and o.key = c.key and o.content_id = c.id
       left join current_reading p on p.crawl_id = $1 and p.content_id = c.id
      where case when o.state = 'done' then b.pages > 1 and o.stage = 0 and o.content_hash is not null
                 else o.state in ('failed', 'excluded') end
   ), ${inboundOfCopies}, chosen as (
     select distinct on (content_id) content_id, host_id, key
       from copies left join inbound using (host_id, key)
      order by content_id, ${bestCopyFirst}
   ), owned as (
     update content c set host_id = n.host_id, key = n.key
       from chosen n where c.crawl_id = $1 and c.id = n.content_id and (c.host_id, c.key) <> (n.host_id, n.key)
     returning with (old as before) c.id, c.host_id, c.key, before.host_id as from_host, before.key as from_key
   ), due as (
     insert into content_due (crawl_id, content_id) select $1, id from owned
   ), told as (
     select n.*, k.host_id as of_host, k.key as of_key from owned n join copies k on k.content_id = n.id
     union
     select n.*, n.from_host, n.from_key from owned n
   ), marked as (
     update url u
        set alias_host = case when (u.host_id, u.key) <> (n.host_id, n.key) then n.host_id end,
            alias_key = case when (u.host_id, u.key) <> (n.host_id, n.key) then n.key end
       from told n
      where u.crawl_id = $1 and u.host_id = n.of_host and u.key = n.of_key and u.content_id = n.id
     returning 1
   )
   select count(*)::int as pages from marked`;

/**
 * Among pages of a crawl that have the same normalised text but different bodies (F20), or the same body but were read
 * for different sites, chooses one that stands for the others, as `chooseCanonicals` does. Each page keeps what was
 * extracted from it. Judges all pages anew each time, so that a crawl that went on after its end has one page for each
 * text again; a page that was marked, and whose text no other page has by what everybody reads now, is marked no more. A
 * page is judged by the body at which it points, not by one that it has left and that still names it. A page that is
 * excluded or gone stands for nobody. Answers as `rankCopies`.
 */
const markTextDuplicates = statement<[crawlId: number], { pages: number }>('mark-text-duplicates', walkMs)`
   with marked_before as materialized (
     select content_id from url u
      where crawl_id = $1 and alias_host is not null and content_id is not null and ${standsForItsBody}
   ), texts as (
     select c.id as content_id, c.host_id, c.key, coalesce(p.text_hash, c.hash) as text_hash, p.canonical,
            count(*) over (partition by coalesce(p.text_hash, c.hash)) as pages
       from current_reading p join content c on c.crawl_id = $1 and c.id = p.content_id
      where p.crawl_id = $1
   ), copies as materialized (
     select $1::bigint as crawl_id, t.host_id, t.key, t.content_id, t.text_hash, u.url, u.depth,
            ${keyOf('u.url')} as spelt,
            ${keyOf('t.canonical')} as canonical, ${siteOf('h.origin')} as site
       from texts t
       join url u on u.host_id = t.host_id and u.crawl_id = $1 and u.key = t.key and u.content_id = t.content_id
       join host h on h.id = t.host_id
      where (t.pages > 1 or t.content_id in (select content_id from marked_before)) and u.state in ('done', 'queued', 'leased') and ${standsForItsBody}
   ), ${inboundOfCopies}, judged as (
     select host_id, key, content_id, first_value(host_id) over best_first as owner_host,
            first_value(key) over best_first as owner_key
       from copies left join inbound using (host_id, key)
     window best_first as (partition by text_hash
                           order by ${bestCopyFirst})
   ), places as (
     select host_id, key, content_id, case when key <> owner_key then owner_host end as alias_host,
            nullif(owner_key, key) as alias_key
       from judged
   ), marked as (
     update url u set alias_host = s.alias_host, alias_key = s.alias_key
     from places s
    where u.host_id = s.host_id and u.crawl_id = $1 and u.key = s.key and u.content_id = s.content_id and ${standsForItsBody}
      and (u.alias_host, u.alias_key) is distinct from (s.alias_host, s.alias_key)
   returning 1
   )
   select count(*)::int as pages from marked`;
