/** Pages of a crawl with the same text, judged while the crawl goes on. */
import { statement } from '../postgres/index.ts';
import { believedNames, keyOf, siteOf } from './copy-ranking.ts';

/** The oldest notes that a page got or lost a text. */
export const dueTexts = statement<[limit: number], { id: number }>('due-texts')`
   select id from text_due order by id limit $1`;

/**
 * For each text of these notes chooses the page that stands for the others: the page that names itself as rel=canonical,
 * else the page that most others name and are believed, else the page that stood for the text before, since it was
 * chosen by all that is known or has been named to users as the original; else the page nearest to a seed, else the page
 * with the shortest URL. The others become its aliases; each page keeps what was extracted from it. An alias whose text
 * no other page has any more becomes a page of its own.
 *
 * Of a text with more than `mostOfText` pages, that many are looked at, and those of the notes. The page that stands for
 * such a text is kept as long as it has the text, so that the pages that were not looked at need not be pointed at
 * another one; the ranking at the end of the crawl, or the next one of a standing crawl, looks at all of them. Crawls that
 * read by a re-extraction are left to that ranking as a whole, since these texts are not theirs.
 *
 * The notes go. Returns how many pages became copies, or copies of another, or cease to be.
 *
 * The caller must have claimed the ranking in an earlier statement of the same transaction, so that this one sees what
 * others have chosen.
 */
export const judgeTexts = statement<[ids: readonly number[], mostOfText: number], { pages: number }>(
  'judge-texts',
)`
   with due as (
     delete from text_due where id = any ($1::bigint[]) returning crawl_id, text_hash, content_id
   ), notes as materialized (
     select * from due where crawl_id not in (select crawl_id from reading_in_use)
   ), texts as materialized (
     select distinct crawl_id, text_hash from notes
   ), looked_at as materialized (
     select t.crawl_id, t.text_hash, p.content_id
       from texts t
      cross join lateral (
        select content_id from reading
         where crawl_id = t.crawl_id and text_hash = t.text_hash and job_id = 0 limit $2 + 1
      ) p
   ), large as materialized (
     select crawl_id, text_hash from looked_at group by crawl_id, text_hash having count(*) > $2
   ), chosen as materialized (
     select crawl_id, text_hash, content_id from looked_at
     union
     select crawl_id, text_hash, content_id from notes
     union
     select l.crawl_id, l.text_hash, o.content_id
       from looked_at l
       join content c on c.crawl_id = l.crawl_id and c.id = l.content_id
       join url u on u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key
       join url o on o.host_id = u.alias_host and o.crawl_id = u.crawl_id and o.key = u.alias_key
      where (l.crawl_id, l.text_hash) in (select crawl_id, text_hash from large)
   ), copies as materialized (
     select c.crawl_id, u.host_id, u.key, c.text_hash, u.url, u.depth, u.content_id, u.alias_host, u.alias_key,
            ${keyOf('u.url')} as spelt, ${keyOf('p.canonical')} as canonical, ${siteOf('h.origin')} as site
       from chosen c
       join reading p on p.crawl_id = c.crawl_id and p.content_id = c.content_id and p.job_id = 0
        and p.text_hash = c.text_hash
       join content b on b.crawl_id = c.crawl_id and b.id = c.content_id
       join url u on u.host_id = b.host_id and u.crawl_id = b.crawl_id and u.key = b.key
        and u.content_id = b.id and u.content_hash = b.hash
       join host h on h.id = u.host_id
      where u.kind = 0 and u.state in ('done', 'queued', 'leased')
   ), ${believedNames('copies')}, stood as (
     select distinct c.crawl_id, c.host_id, c.key, true as stood
       from copies c join copies a on a.crawl_id = c.crawl_id and a.text_hash = c.text_hash
        and a.alias_host = c.host_id and a.alias_key = c.key
   ), judged as (
     select c.*, first_value(c.host_id) over best_first as owner_host, first_value(c.key) over best_first as owner_key
       from copies c
       left join named n on n.crawl_id = c.crawl_id and n.host_id = c.host_id and n.key = c.key
       left join stood s on s.crawl_id = c.crawl_id and s.host_id = c.host_id and s.key = c.key
       left join large l on l.crawl_id = c.crawl_id and l.text_hash = c.text_hash
     window best_first as (
       partition by c.crawl_id, c.text_hash
           order by (l.crawl_id is not null and s.stood is not null) desc,
                    coalesce(c.canonical in (c.key, c.spelt), false) desc, coalesce(n.names, 0) desc, s.stood nulls last,
                    c.depth, length(c.url), c.url)
   ), marked as (
     update url u
        set alias_host = case when (j.host_id, j.key) <> (j.owner_host, j.owner_key) then j.owner_host end,
            alias_key = case when (j.host_id, j.key) <> (j.owner_host, j.owner_key) then j.owner_key end
       from judged j
      where u.host_id = j.host_id and u.crawl_id = j.crawl_id and u.key = j.key
        and u.content_id = j.content_id and u.stage = 0
        and (u.alias_host, u.alias_key) is distinct from (
              case when (j.host_id, j.key) <> (j.owner_host, j.owner_key) then j.owner_host end,
              case when (j.host_id, j.key) <> (j.owner_host, j.owner_key) then j.owner_key end)
     returning 1
   )
   select count(*)::int as pages from marked`;
