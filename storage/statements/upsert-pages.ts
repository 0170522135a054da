import { statement } from '../statement.ts';

/** What extraction found in one page, as JSON. Hex strings for bytes. */
export interface PageRow {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly key: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly language: string | null;
  readonly charset: string;
  readonly words: number;
  readonly links: number;
  readonly canonical: string | null;
  readonly noindex: boolean;
  readonly nofollow: boolean;
  readonly text_hash: string | null;
  /** The links to follow, packed (storage/outlinks.ts). */
  readonly outlinks: string;
  /** Counters of finish criteria that the page adds to, where it is new. */
  readonly counters: readonly string[];
}

/** Stores extractions, and counts those that are new; extracting again replaces the earlier one. No answer. */
export const upsertPages = statement<[rows: string], Record<string, never>>(
  'upsert-pages',
  `with r as materialized (
     select *, decode(key, 'hex') as place from json_to_recordset($1) as r(
            host_id bigint, crawl_id bigint, key text, title text, description text, language text, charset text,
            words int, links int, canonical text, noindex boolean, nofollow boolean, text_hash text,
            outlinks text, counters text[])
   ), stored as (
     insert into page (host_id, crawl_id, key, title, description, language, charset, words, links, canonical, noindex,
                       nofollow, text_hash, outlinks)
     select host_id, crawl_id, place, title, description, language, charset, words, links, canonical,
            noindex, nofollow, decode(text_hash, 'hex'), outlinks
       from r order by host_id, crawl_id, key
     on conflict (host_id, crawl_id, key) do update
       set title = excluded.title, description = excluded.description, language = excluded.language,
           charset = excluded.charset, words = excluded.words, links = excluded.links, canonical = excluded.canonical,
           noindex = excluded.noindex, nofollow = excluded.nofollow,
           text_hash = excluded.text_hash, outlinks = excluded.outlinks, extracted_at = now()
     returning host_id, crawl_id, key, xmax = 0 as is_new
   ), counted as (
     insert into page_counter as c (crawl_id, counter, shard, pages)
     select r.crawl_id, counter, pg_backend_pid() % 32, count(*)
       from r cross join unnest(r.counters) counter
       join stored s on s.host_id = r.host_id and s.crawl_id = r.crawl_id and s.key = r.place and s.is_new
      group by r.crawl_id, counter order by r.crawl_id, counter
     on conflict (crawl_id, counter, shard) do update set pages = c.pages + excluded.pages
   )
   select from stored limit 0`,
);
