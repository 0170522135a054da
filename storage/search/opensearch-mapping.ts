/**
 * How pages lie in OpenSearch: one index for all crawls. The words of a page stand in fields of its language's analyzer
 * (`english.text`), so that a query is read as the language of each page has it, and no page has fields of two languages.
 */
import type { HitView } from '../../contracts/http/search.ts';
import { configFor } from './configs.ts';
import type { IndexedPage } from './search-index.ts';

/** Analyzers that OpenSearch has, by our configurations; it splits words of other languages, and takes them as they are. */
const withoutAnalyzer = ['simple', 'nepali', 'serbian', 'tamil', 'yiddish'];
const analyzers: Readonly<Record<string, string>> = {
  ...Object.fromEntries(withoutAnalyzer.map((config) => [config, 'standard'])),
  ...Object.fromEntries(
    [
      'arabic',
      'armenian',
      'basque',
      'catalan',
      'danish',
      'dutch',
      'english',
      'finnish',
      'french',
      'german',
      'greek',
      'hindi',
      'hungarian',
      'indonesian',
      'irish',
      'italian',
      'lithuanian',
      'norwegian',
      'portuguese',
      'romanian',
      'russian',
      'spanish',
      'swedish',
      'turkish',
    ].map((language) => [language, language]),
  ),
};

const keyword = { type: 'keyword' } as const;
const short = { type: 'short' } as const;
const shown = { type: 'keyword', index: false, doc_values: false } as const;

const wordsBy = (analyzer: string) =>
  ({
    properties: {
      title: { type: 'text', analyzer },
      description: { type: 'text', analyzer },
      // Offsets spare highlighting the reading of the whole text.
      text: { type: 'text', analyzer, index_options: 'offsets' },
    },
  }) as const;

/** Fields that indexes of earlier releases lack. */
export const digestField = { digest: shown } as const;

/** Body of the request that makes the index. Shards and replicas are those of the cluster's index templates. */
export const indexBody = {
  settings: {
    // A page that was taken out stays out, whatever a batch says that comes late.
    'index.gc_deletes': '1h',
  },
  mappings: {
    dynamic: 'strict',
    properties: {
      crawl: keyword,
      key: keyword,
      url: shown,
      title: shown,
      origin: keyword,
      config: keyword,
      language: keyword,
      status: short,
      contentType: keyword,
      family: keyword,
      fetchedAt: { type: 'date' },
      ...digestField,
      ...Object.fromEntries(
        Object.entries(analyzers).map(([config, analyzer]) => [config, wordsBy(analyzer)]),
      ),
    },
  },
} as const;

/** What an answer shows of a page. */
export const shownFields = ['url', 'title', 'language', 'status', 'contentType', 'fetchedAt'] as const;
export type Shown = Pick<HitView, (typeof shownFields)[number]> & { readonly crawl: string };

/** As `IndexedState`; a page that was put before digests were kept has none. */
export interface StoredState {
  readonly fetchedAt: string;
  readonly digest?: string;
}

export const documentId = (crawlId: string, key: string): string => `${crawlId}.${key}`;

export function documentOf(crawlId: string, page: IndexedPage): Shown & Record<string, unknown> {
  const { key, url, title, description, text, language, status, mediaType, fetchedAt, origin, digest } = page;
  const config = configFor(language);
  return {
    crawl: crawlId,
    key,
    url,
    title,
    origin,
    config,
    language,
    status,
    fetchedAt,
    digest,
    contentType: mediaType,
    family: mediaType?.split('/')[0] ?? null,
    [config]: { title, description, text },
  };
}
