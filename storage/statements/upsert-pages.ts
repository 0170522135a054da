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
  readonly cut: readonly string[];
  readonly text_hash: string | null;
  /** The links to follow, packed (storage/outlinks.ts). */
  readonly outlinks: string;
}

/** Stores extractions; extracting again replaces the earlier one. */
export const upsertPages = statement<[rows: string], Record<string, never>>(
  'upsert-pages',
  `insert into page (host_id, crawl_id, key, title, description, language, charset, words, links, canonical, noindex,
                     nofollow, cut, text_hash, outlinks)
   select host_id, crawl_id, decode(key, 'hex'), title, description, language, charset, words, links, canonical,
          noindex, nofollow, cut, decode(text_hash, 'hex'), outlinks
     from json_to_recordset($1) as r(
            host_id bigint, crawl_id bigint, key text, title text, description text, language text, charset text,
            words int, links int, canonical text, noindex boolean, nofollow boolean, cut text[], text_hash text,
            outlinks text)
    order by host_id, crawl_id, key
   on conflict (host_id, crawl_id, key) do update
     set title = excluded.title, description = excluded.description, language = excluded.language,
         charset = excluded.charset, words = excluded.words, links = excluded.links, canonical = excluded.canonical,
         noindex = excluded.noindex, nofollow = excluded.nofollow, cut = excluded.cut,
         text_hash = excluded.text_hash, outlinks = excluded.outlinks, extracted_at = now()`,
);
