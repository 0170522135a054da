/** Statements on the full text in Postgres, and on how far each crawl is indexed. */
import type { CrawlState } from '../../contracts/crawl.ts';
import { hitMarks } from '../../domain/search/page.ts';
import { statement } from '../postgres/index.ts';
import { titleMark } from './marks.ts';

export interface IndexRow {
  /** 'checking': what is indexed is compared with the crawl once more; 'dropped': the crawl is removed, and its pages leave the index. */
  readonly state: 'building' | 'checking' | 'ready' | 'dropped';
  readonly place: string | null;
  readonly looked: number;
  readonly lost: number;
  readonly asked_at: Date;
  readonly indexed_at: Date | null;
}

/** Has a crawl indexed from now on; what is indexed stays. */
export const askIndex = statement<[crawlId: string], Record<string, never>>(
  'ask-index',
  `insert into search_index as s (crawl_id) values ($1)
   on conflict (crawl_id) do update set state = 'building', asked_at = now()
    where s.state not in ('building', 'checking')`,
);

/** No row: the crawl has no index. */
export const findIndex = statement<[crawlId: string], IndexRow>(
  'find-index',
  `select state, place, looked, lost, asked_at, indexed_at from search_index where crawl_id = $1`,
);

/**
 * Which crawls have an index, with the configurations of their pages, the latest first.
 * @param crawlIds null: all of the tenant
 */
export const indexedCrawls = statement<
  [tenantId: number, crawlIds: readonly string[] | null, limit: number],
  {
    readonly id: string;
    readonly state: CrawlState;
    readonly indexed: boolean;
    readonly configs: readonly string[];
  }
>(
  'indexed-crawls',
  `select c.id::text, c.state, s.crawl_id is not null as indexed, coalesce(s.configs, '{}') as configs
     from crawl c left join search_index s on s.crawl_id = c.id
    where c.tenant_id = $1 and c.removed_at is null
      and case when $2::bigint[] is null then s.crawl_id is not null else c.id = any ($2) end
    order by c.id desc limit $3`,
);

/**
 * Indexes to be built or kept up: those that were asked for, and those of crawls that run again, or have run again since
 * they were indexed. By their crawls' ids.
 */
export const openIndexes = statement<[after: string, limit: number], { id: string }>(
  'open-indexes',
  `select s.crawl_id::text as id from search_index s join crawl c on c.id = s.crawl_id
    where s.crawl_id > $1::bigint and c.removed_at is null
      and (s.state in ('building', 'checking') or c.state not in ('finished', 'cancelled', 'failed')
           or c.ended_at > s.indexed_at)
    order by s.crawl_id limit $2`,
);

/** Notes how far a crawl is indexed; to null: it is looked at from the start. No row: another process did so first. */
export const noteIndexed = statement<
  [
    crawlId: string,
    from: string | null,
    to: string | null,
    looked: number,
    lost: number,
    configs: readonly string[],
    state: IndexRow['state'],
  ],
  { crawl_id: number }
>(
  'note-indexed',
  `update search_index
      set place = $3, looked = looked + $4, lost = lost + $5, state = $7,
          configs = array(select distinct unnest(configs || $6::text[]) order by 1), indexed_at = now()
    where crawl_id = $1 and place is not distinct from $2
   returning crawl_id`,
);

/**
 * Puts pages into the index, or in place of what it had of them; nothing once the crawl has no index any more. `rows`: [{key, url, config, …}] with keys in hex.
 */
export const putPages = statement<[crawlId: string, rows: string], Record<string, never>>(
  'put-pages',
  `with held as materialized (
     select crawl_id from search_index where crawl_id = $1 and state <> 'dropped' for share
   ), r as materialized (
     select *, to_tsvector(config::regconfig, coalesce(title, '')) as title_words
       from json_to_recordset($2) as r(
              key text, url text, config text, language text, status smallint, content_type text, fetched_at timestamptz,
              title text, description text, text text, shown text, marks text[])
      order by key
   )
   insert into search_page (crawl_id, key, url, config, language, status, content_type, fetched_at, title, shown, words)
   select $1, decode(key, 'hex'), url, config, language, status, content_type, fetched_at, title, shown,
          setweight(title_words, 'A') || setweight(to_tsvector(config::regconfig, coalesce(description, '')), 'B')
            || to_tsvector(config::regconfig, text)
            || array_to_tsvector(marks || array(select '${titleMark}' || lexeme from unnest(title_words)))
     from r where exists (select from held)
   on conflict (crawl_id, key) do update
     set url = excluded.url, config = excluded.config, language = excluded.language, status = excluded.status,
         content_type = excluded.content_type, fetched_at = excluded.fetched_at, title = excluded.title,
         shown = excluded.shown, words = excluded.words`,
);

/** Which of these pages the index has as they were answered last. `rows`: [{key, fetched_at}], keys in hex. */
export const indexedPages = statement<[crawlId: string, rows: string], { readonly key: string }>(
  'indexed-pages',
  `select r.key from json_to_recordset($2) as r(key text, fetched_at timestamptz)
     join search_page s on s.crawl_id = $1 and s.key = decode(r.key, 'hex') and s.fetched_at = r.fetched_at`,
);

/** @param keys hex */
export const dropPages = statement<[crawlId: string, keys: readonly string[]], Record<string, never>>(
  'drop-pages',
  `delete from search_page where crawl_id = $1 and key in (select decode(k, 'hex') from unnest($2::text[]) k)`,
);

/** Takes so many pages of a crawl out of the index. */
export const dropSome = statement<[crawlId: string, limit: number], { crawl_id: number }>(
  'drop-some-pages',
  `delete from search_page where ctid = any (array(select ctid from search_page where crawl_id = $1 limit $2))
   returning crawl_id`,
);

/** Crawls that are removed and whose pages are in the index; nothing is put there for them any more. */
export const droppedIndexes = statement<[], { id: string }>(
  'dropped-indexes',
  `update search_index s set state = 'dropped'
    where not exists (select from crawl c where c.id = s.crawl_id and c.removed_at is null)
   returning crawl_id::text as id`,
);

/** Forgets a removed crawl, unless another process, which drops it too, has left pages of it in the index so far. */
export const forgetIndex = statement<[crawlId: string], Record<string, never>>(
  'forget-index',
  `delete from search_index s where crawl_id = $1 and state = 'dropped'
      and not exists (select from search_page p where p.crawl_id = s.crawl_id)`,
);

/** Sorts what was written since the last clean-up into the index of words. */
export const cleanWords = statement<[], Record<string, never>>(
  'clean-words',
  `select from gin_clean_pending_list('search_page_words')`,
);

/** For the statements of this transaction: pages come by the index of words, and a search ends in time. */
export const searchByWords = statement<[], Record<string, never>>(
  'search-by-words',
  `select set_config('enable_seqscan', 'off', true), set_config('statement_timeout', '5000', true),
          set_config('jit', 'off', true)`,
);

/** Most pages of a language that are looked at: those with the words in the title, and any. */
const mostTitled = 100;
const mostLooked = 250;

export interface HitRow {
  /** Null: there is no hit at all. */
  readonly crawl_id: string | null;
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly status: number | null;
  readonly content_type: string | null;
  readonly fetched_at: Date;
  readonly score: number;
  readonly found: number;
  readonly snippet: string;
  /** More pages have the words than were looked at. */
  readonly is_cut: boolean;
}

const headline = [
  `StartSel="${hitMarks.start}"`,
  `StopSel="${hitMarks.end}"`,
  'MaxFragments=2, MinWords=8, MaxWords=24, FragmentDelimiter=" … "',
].join(', ');

/** The bounds of time, on the row `p`. */
const inTime = `p.fetched_at >= coalesce($6::timestamptz, '-infinity') and p.fetched_at < coalesce($7::timestamptz, 'infinity')`;

/**
 * Pages by words, the best first. A word that thousands of pages have must not cost the ranking of them all, so of each
 * language those with all words in their titles come into question, and the first others, until there are enough; a
 * phrase is looked for in these. Pages are indexed in the order in which they were fetched, the best of a crawl first.
 * Most of the time goes into unpacking the words of a page: pages are compared with the whole query only if there is a
 * phrase in it. One row always comes. `wanted`: the words, `unwanted`: words with a minus before each, `strict`: the query
 * as it was typed, with phrases.
 */
export const searchPages = statement<
  [
    configs: readonly string[],
    filter: string,
    strict: string,
    wanted: string,
    unwanted: string,
    since: string | null,
    until: string | null,
    limit: number,
    offset: number,
    hasPhrase: boolean,
  ],
  HitRow
>(
  'search-pages',
  `with asked as materialized (
     select c.config, websearch_to_tsquery(c.config::regconfig, $3) as strict, w.query && u.query && m.query as loose,
            t.query && u.query && m.query as title
       from unnest($1::text[]) as c(config)
      cross join lateral (select plainto_tsquery(c.config::regconfig, $4) as query) w
      cross join lateral (select websearch_to_tsquery(c.config::regconfig, $5) as query) u
      cross join lateral (select $2::tsquery && ('''=g' || c.config || '''')::tsquery as query) m
      cross join lateral (
        select string_agg('''${titleMark}' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' & ')::tsquery as query
          from unnest(to_tsvector(c.config::regconfig, $4))) t
      where numnode(w.query) > 0
   ), titled as materialized (
     select found.* from asked a cross join lateral (
       select p.ctid as at from search_page p where p.words @@ a.title and ${inTime} limit ${String(mostTitled)}) found
   ), any_place as materialized (
     select a.config, found.* from asked a cross join lateral (
       select p.ctid as at from search_page p where p.words @@ a.loose and ${inTime} limit ${String(mostLooked)}) found
   ), hits as materialized (
     select p.ctid as at, a.strict, ts_rank_cd('{0.05, 0.2, 0.4, 1}', p.words, a.strict, 1) as score, count(*) over () as found
       from search_page p join asked a on a.config = p.config
      where p.ctid = any (array(select at from titled union select at from any_place))
        and case when a.config <> p.config then false when $10 then p.words @@ a.strict else true end
      order by score desc, p.fetched_at, p.key limit $8 offset $9
   )
   select p.crawl_id::text, p.url, p.title, p.language, p.status, p.content_type, p.fetched_at, h.score, h.found,
          ts_headline(p.config::regconfig, p.shown, h.strict, '${headline}') as snippet, s.is_cut
     from (select coalesce(bool_or(n >= ${String(mostLooked)}), false) as is_cut
             from (select count(*) as n from any_place group by config) each) s
     left join (hits h join search_page p on p.ctid = h.at) on true
    order by h.score desc, p.fetched_at, p.key`,
  6_000,
);
