/** The choice among all copies of a crawl, by all that is known: at the end of a crawl, and once a day while it stands. */
import { allowWalk, statement, walkMs, type Queryable } from '../postgres/index.ts';
import { bestCopyFirst, inboundOfCopies, keyOf, siteOf, standsForItsBody } from './copy-ranking.ts';
import { holdRanking } from './ranking-lock.sql.ts';

/**
 * Chooses which page stands for each body and each text of a crawl. The caller must be in a transaction. Answers how many
 * pages changed their standing.
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
 * become its aliases, and what was extracted goes to the chosen page, in place of what was read there when it had another
 * body. A body that was read for several sites has one chosen page for each; `markTextDuplicates` chooses among these.
 * A body whose page has not been read yet, or is being fetched again, keeps its standing. Returns how many pages changed
 * theirs.
 */
const chooseCanonicals = statement<[crawlId: number], { pages: number }>('choose-canonicals', walkMs)`
   with bodies as (
     select host_id, key, url, depth, content_hash, alias_key, count(*) over (partition by content_hash) as pages
       from url
      where crawl_id = $1 and fetched_at is not null and state = 'done' and stage = 0 and content_hash is not null
        and kind = 0
   ), copies as materialized (
     select b.host_id, b.key, ${keyOf('b.url')} as spelt, b.content_hash, b.url,
            b.depth, c.host_id as owner_host, c.key as owner_key, $1::bigint as crawl_id,
            ${keyOf('p.canonical')} as canonical, p.text_hash, ${siteOf('h.origin')} as site
       from bodies b
       join host h on h.id = b.host_id
       join lateral (
         select host_id, key from content
          where crawl_id = $1 and hash = b.content_hash and site >= 0
          order by key = b.key desc, coalesce(key = b.alias_key, false) desc, site limit 1
       ) c on true
       join bodies o on o.host_id = c.host_id and o.key = c.key and o.content_hash = b.content_hash
       left join current_page p on p.host_id = c.host_id and p.crawl_id = $1 and p.key = c.key
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
   ), outdated as (
     delete from page p using changed n where p.crawl_id = $1 and p.host_id = n.host_id and p.key = n.key
     returning p.host_id, p.key, p.text_hash
   ), due as (
     insert into text_due (crawl_id, text_hash, host_id, key)
     select $1, text_hash, host_id, key from outdated where text_hash is not null
   ), moved as (
     update page p set host_id = n.host_id, key = n.key
       from changed n where p.crawl_id = $1 and p.host_id = n.owner_host and p.key = n.owner_key
        and (select count(*) from outdated) >= 0
   ), outdated_print as (
     delete from text_print t using changed n
      where t.crawl_id = $1 and t.host_id = n.host_id and t.key = n.key returning 1
   ), moved_print as (
     update text_print t set host_id = n.host_id, key = n.key
       from changed n where t.crawl_id = $1 and t.host_id = n.owner_host and t.key = n.owner_key
        and (select count(*) from outdated_print) >= 0
   ), outdated_reextraction as (
     delete from reextraction_page r using changed n
      where r.job_id in (select id from reextraction where crawl_id = $1) and r.host_id = n.host_id and r.key = n.key
     returning 1
   ), moved_reextraction as (
     update reextraction_page r set host_id = n.host_id, key = n.key
       from changed n
      where r.job_id in (select id from reextraction where crawl_id = $1)
        and r.host_id = n.owner_host and r.key = n.owner_key and (select count(*) from outdated_reextraction) >= 0
   ), standing_changed as (
     update url u
      set alias_host = case when (u.host_id, u.key) = (n.host_id, n.key) then null else n.host_id end,
          alias_key = case when (u.host_id, u.key) = (n.host_id, n.key) then null else n.key end
     from changed n join copies k using (owner_host, owner_key)
    where u.crawl_id = $1 and u.host_id = k.host_id and u.key = k.key
   returning 1
   )
   select count(*)::int as pages from standing_changed`;

/**
 * Among pages of a crawl that have the same normalised text but different bodies (F20), or the same body but were read
 * for different sites, chooses one that stands for the others, as `chooseCanonicals` does. Each page keeps what was
 * extracted from it. Judges all pages anew each time, so that a crawl that went on after its end has one page for each
 * text again. A page that is excluded or gone stands for nobody. Returns how many pages changed their standing.
 */
const markTextDuplicates = statement<[crawlId: number], { pages: number }>('mark-text-duplicates', walkMs)`
   with texts as (
     select host_id, key, text_hash, canonical, count(*) over (partition by text_hash) as pages
       from current_page where crawl_id = $1 and text_hash is not null
     union all
     select c.host_id, c.key, c.hash, p.canonical, c.sites
       from (select *, count(*) over (partition by hash) as sites from content where crawl_id = $1 and site >= 0) c
       join current_page p on p.host_id = c.host_id and p.crawl_id = $1 and p.key = c.key
      where c.sites > 1 and p.text_hash is null
   ), copies as materialized (
     select $1::bigint as crawl_id, t.host_id, t.key, t.text_hash, u.url, u.depth,
            ${keyOf('u.url')} as spelt,
            ${keyOf('t.canonical')} as canonical, ${siteOf('h.origin')} as site
       from texts t join url u on u.host_id = t.host_id and u.crawl_id = $1 and u.key = t.key join host h on h.id = t.host_id
      where t.pages > 1 and u.state in ('done', 'queued', 'leased') and ${standsForItsBody}
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
    where u.host_id = s.host_id and u.crawl_id = $1 and u.key = s.key and ${standsForItsBody}
      and (u.alias_host, u.alias_key) is distinct from (s.alias_host, s.alias_key)
   returning 1
   )
   select count(*)::int as pages from standing_changed`;
