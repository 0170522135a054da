/** Statements that put pages into the full text in Postgres and take them out. */
import { statement } from '../postgres/index.ts';
import { titleMark } from './marks.ts';

/**
 * The index of crawl $1, if pages may be put into it: the crawl is not removed, and round $2 is not over. The lock has the
 * end of the round wait for the statement, so that nothing of a round comes after its end.
 */
const held = `held as materialized (
     select id from job
      where kind = 'search' and id = $1 and state <> 'cancelled' and (progress ->> 'round')::bigint = $2 for share
   )`;

/**
 * Puts pages into the index, or in place of what it had of them. They come into tier $3, those that were there stay in
 * theirs. `rows`: [{key, url, config, …}] with keys in hex.
 */
export const putPages = statement<[crawlId: string, round: number, tier: number, rows: string]>('put-pages')`
   with ${held}, r as materialized (
     select r.*, decode(r.key, 'hex') as id, to_tsvector(config::regconfig, coalesce(title, '')) as title_words
       from json_to_recordset($4) as r(
              key text, url text, config text, language text, status smallint, content_type text, fetched_at timestamptz,
              title text, description text, text text, shown text, marks text[], digest text)
      order by key
   )
   insert into search_page
          (crawl_id, key, url, config, language, status, content_type, fetched_at, title, shown, tier, digest, words)
   select $1, r.id, r.url, r.config, r.language, r.status, r.content_type, r.fetched_at, r.title, r.shown, t.tier,
          decode(r.digest, 'hex'),
          setweight(title_words, 'A') || setweight(to_tsvector(r.config::regconfig, coalesce(description, '')), 'B')
            || to_tsvector(r.config::regconfig, text)
            || array_to_tsvector(marks || ('=c' || $1 || '.' || t.tier)
                 || array(select '${titleMark}' || lexeme from unnest(title_words)))
     from r left join search_page p on p.crawl_id = $1 and p.key = r.id
    cross join lateral (select coalesce(p.tier, $3) as tier) t
    where exists (select from held)
    order by r.id
   on conflict (crawl_id, key) do update
     set url = excluded.url, config = excluded.config, language = excluded.language, status = excluded.status,
         content_type = excluded.content_type, fetched_at = excluded.fetched_at, title = excluded.title,
         shown = excluded.shown, tier = excluded.tier, digest = excluded.digest, words = excluded.words`;

/**
 * Which of these pages the index has as they are. `rows`: [{key, fetched_at, digest}], bytes in hex. A row without a digest
 * is from before there were any.
 */
export const indexedPages = statement<[crawlId: string, rows: string], { key: string }>('indexed-pages')`
   select r.key from json_to_recordset($2) as r(key text, fetched_at timestamptz, digest text)
     join search_page s on s.crawl_id = $1 and s.key = decode(r.key, 'hex') and s.fetched_at = r.fetched_at
      and coalesce(s.digest = decode(r.digest, 'hex'), true)`;

/** @param keys hex */
export const dropPages = statement<[crawlId: string, round: number, keys: readonly string[]]>('drop-pages')`
   with ${held}
   delete from search_page
    where crawl_id = $1 and key in (select decode(k, 'hex') from unnest($3::text[]) k) and exists (select from held)`;

/** Takes so many pages of a crawl out of the index. */
export const dropSome = statement<[crawlId: string, limit: number], { crawl_id: number }>('drop-some-pages')`
   delete from search_page where ctid = any (array(select ctid from search_page where crawl_id = $1 limit $2))
   returning crawl_id`;

/** Sorts what was written since the last clean-up into the index of words. */
export const cleanWords = statement<[]>('clean-words')`
   select from gin_clean_pending_list('search_page_words')`;
