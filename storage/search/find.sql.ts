/** The statement that finds pages by words in Postgres. */
import { hitMarks } from '../../domain/search/page.ts';
import { statement } from '../postgres/index.ts';
import { titleMark } from './marks.ts';

/** For the statements of this transaction: pages come by the index of words, and a search ends in time. */
export const searchByWords = statement<[]>('search-by-words')`
   select set_config('enable_seqscan', 'off', true), set_config('statement_timeout', '5000', true),
          set_config('jit', 'off', true)`;

/** Most pages that are ranked: those with the words in the title, and any. */
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

/** Characters of a text in which a snippet is sought first: a snippet costs by the length of what it is taken from. */
const snippetFirst = 2_000;

/** Different words that a snippet has marked. */
const markedIn = (snippet: string): string =>
  `(select count(distinct lower(m[1])) from regexp_matches(${snippet}, '${hitMarks.start}([^${hitMarks.end}]*)${hitMarks.end}', 'g') m)`;

/**
 * Pages by words, the best first. A word that thousands of pages have must cost neither a walk over them all nor their
 * ranking. So the tiers of the crawls are looked at one after the other (`looks`, a tsquery each; the limit ends the
 * nested loop) until enough pages with all words in their titles, and enough others, are found; only these are ranked, and
 * a phrase is looked for in them. One look is for all languages: the words of each with the mark of its configuration.
 * Most of the time goes into unpacking the words of a page: pages are compared with the whole query only if there is a
 * phrase in it. One row always comes. `wanted`: the words, `unwanted`: words with a minus before each, `strict`: the query
 * as it was typed, with phrases; `filter`: a tsquery, or nothing.
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
    looks: readonly string[],
  ],
  HitRow
>('search-pages', 6_000)`
   with asked as materialized (
     select c.config, websearch_to_tsquery(c.config::regconfig, $3) as strict, w.query && u.query && m.query as loose,
            t.query && u.query && m.query as title, t.words
       from unnest($1::text[]) as c(config)
      cross join lateral (select plainto_tsquery(c.config::regconfig, $4) as query) w
      cross join lateral (select websearch_to_tsquery(c.config::regconfig, $5) as query) u
      cross join lateral (select ('''=g' || c.config || '''')::tsquery && $2::tsquery as query) m
      cross join lateral (
        select string_agg('''${titleMark}' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' & ')::tsquery as query,
               count(*) as words
          from unnest(to_tsvector(c.config::regconfig, $4))) t
      where numnode(w.query) > 0
   ), query as materialized (
     select string_agg('(' || loose::text || ')', ' | ')::tsquery as loose,
            string_agg('(' || title::text || ')', ' | ')::tsquery as title
       from asked
   ), titled as materialized (
     select found.at from unnest($11::text[]) as look(tiers) cross join query q cross join lateral (
       select p.ctid as at from search_page p where p.words @@ (look.tiers::tsquery && q.title) and ${inTime}) found
      limit ${mostTitled}
   ), any_place as materialized (
     select found.at from unnest($11::text[]) as look(tiers) cross join query q cross join lateral (
       select p.ctid as at from search_page p where p.words @@ (look.tiers::tsquery && q.loose) and ${inTime}) found
      limit ${mostLooked}
   ), hits as materialized (
     select p.ctid as at, a.strict, a.words, count(*) over () as found,
            ts_rank_cd('{0.05, 0.2, 0.4, 1}', p.words, a.strict, 1) as score
       from search_page p join asked a on a.config = p.config
      where p.ctid = any (array(select at from titled union select at from any_place))
        and case when a.config <> p.config then false when $10 then p.words @@ a.strict else true end
      order by score desc, p.fetched_at, p.key limit $8 offset $9
   )
   select p.crawl_id::text, p.url, p.title, p.language, p.status, p.content_type, p.fetched_at, h.score, h.found,
          case when length(p.shown) <= ${snippetFirst} or ${markedIn('b.snippet')} >= h.words then b.snippet
               else ts_headline(p.config::regconfig, p.shown, h.strict, '${headline}') end as snippet,
          s.is_cut
     from (select count(*) >= ${mostLooked} as is_cut from any_place) s
     left join (
       hits h join search_page p on p.ctid = h.at
       cross join lateral (
         select ts_headline(p.config::regconfig, left(p.shown, ${snippetFirst}), h.strict, '${headline}') as snippet
         offset 0) b
     ) on true
    order by h.score desc, p.fetched_at, p.key`;
