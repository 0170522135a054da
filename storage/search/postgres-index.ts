/** The index in Postgres: nothing else to run, and quick up to some hundred thousand pages (docs/content.md). */
import { searchLimits, snippetOf, upTo } from '../../domain/search/page.ts';
import { writtenQuery, type Term } from '../../domain/search/query.ts';
import { inTransaction, retrying, type Pool } from '../postgres/index.ts';
import { configFor } from './configs.ts';
import { filterQuery, marksOf } from './marks.ts';
import type { Hit, IndexedPage, SearchAnswer, SearchIndex, SearchRequest } from './search-index.ts';
import {
  cleanWords,
  dropPages,
  dropSome,
  indexedPages,
  putPages,
  searchByWords,
  searchPages,
  type HitRow,
} from './search.sql.ts';

/** Pages taken out in one statement. */
const droppedAtOnce = 2_000;

export class PostgresIndex implements SearchIndex {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async put(crawlId: string, pages: readonly IndexedPage[], gone: readonly string[]): Promise<void> {
    if (gone.length > 0) await retrying(() => dropPages(this.#pool, crawlId, gone));
    if (pages.length === 0) return;
    const rows = JSON.stringify(pages.map((page) => rowOf(crawlId, page)));
    await retrying(() => putPages(this.#pool, crawlId, rows));
  }

  async has(
    crawlId: string,
    pages: readonly Pick<IndexedPage, 'key' | 'fetchedAt'>[],
  ): Promise<ReadonlySet<string>> {
    const rows = JSON.stringify(pages.map(({ key, fetchedAt }) => ({ key, fetched_at: fetchedAt })));
    return new Set((await indexedPages(this.#pool, crawlId, rows)).map(({ key }) => key));
  }

  async settle(): Promise<void> {
    await retrying(() => cleanWords(this.#pool));
  }

  async drop(crawlId: string): Promise<void> {
    while ((await retrying(() => dropSome(this.#pool, crawlId, droppedAtOnce))).length > 0);
  }

  async search({ crawlIds, configs, terms, filter, limit, offset }: SearchRequest): Promise<SearchAnswer> {
    const rows = await inTransaction(this.#pool, async (db) => {
      await searchByWords(db);
      return searchPages(
        ...([
          db,
          configs,
          filterQuery(crawlIds, filter),
          writtenQuery(terms.map(literal)),
          wantedWords(terms),
        ] as const),
        ...([
          unwantedWords(terms),
          filter.since ?? null,
          filter.until ?? null,
          limit,
          offset,
          terms.some(({ isPhrase }) => isPhrase),
        ] as const),
      );
    });
    const hits = rows.flatMap((row) => (row.crawl_id === null ? [] : [hitOf(row, row.crawl_id)]));
    const [first] = rows;
    return {
      hits,
      found: first?.crawl_id === null ? 0 : (first?.found ?? 0),
      isComplete: first?.is_cut !== true,
    };
  }
}

/** Postgres takes `or` for an operator, unless it stands in quotes. */
const literal = (term: Term): Term => ({ ...term, isPhrase: term.isPhrase || /^or$/i.test(term.text) });

const wantedWords = (terms: readonly Term[]): string =>
  terms.flatMap(({ text, isUnwanted }) => (isUnwanted ? [] : [text])).join(' ');

/** A phrase that must not be there says nothing of its words. */
const unwantedWords = (terms: readonly Term[]): string =>
  writtenQuery(terms.filter(({ isUnwanted, isPhrase }) => isUnwanted && !isPhrase));

function rowOf(crawlId: string, page: IndexedPage): object {
  const { key, url, title, description, text, language, status, mediaType, fetchedAt } = page;
  const config = configFor(language);
  return {
    ...{ key, url, config, language, status, title, description, text },
    ...{ content_type: mediaType, fetched_at: fetchedAt, shown: upTo(text, searchLimits.shown) },
    marks: marksOf({ crawlId, config, ...page }),
  };
}

const hitOf = (row: HitRow, crawlId: string): Hit => ({
  ...{ crawlId, url: row.url, title: row.title, language: row.language, status: row.status },
  ...{ contentType: row.content_type, fetchedAt: row.fetched_at.toISOString(), score: row.score },
  snippet: snippetOf(row.snippet),
});
