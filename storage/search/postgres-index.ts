/** The index in Postgres: nothing else to run (docs/content.md says how far it goes). */
import type { HitView } from '../../contracts/http/search.ts';
import { searchLimits, snippetOf, upTo } from '../../domain/search/page.ts';
import { writtenQuery, type Term } from '../../domain/search/query.ts';
import { looksOf, tierOf } from '../../domain/search/tiers.ts';
import { inTransaction, retrying, type Pool } from '../postgres/index.ts';
import { configFor } from './configs.ts';
import { searchByWords, searchPages, type HitRow } from './find.sql.ts';
import { filterQuery, marksOf, tiersQuery } from './marks.ts';
import { cleanWords, dropPages, dropSome, indexedPages, putPages } from './put.sql.ts';
import type {
  Batch,
  IndexedPage,
  IndexedState,
  SearchAnswer,
  SearchIndex,
  SearchRequest,
} from './search-index.ts';

/** Pages taken out in one statement. */
const droppedAtOnce = 2_000;

export class PostgresIndex implements SearchIndex {
  readonly name = 'postgres';
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async put({ crawlId, round, looked, pages, gone }: Batch): Promise<void> {
    if (gone.length > 0) await retrying(() => dropPages(this.#pool, crawlId, round, gone));
    if (pages.length === 0) return;
    const rows = JSON.stringify(pages.map(rowOf));
    await retrying(() => putPages(this.#pool, crawlId, round, tierOf(looked), rows));
  }

  async has(crawlId: string, pages: readonly IndexedState[]): Promise<ReadonlySet<string>> {
    const rows = JSON.stringify(
      pages.map(({ key, fetchedAt, digest }) => ({ key, fetched_at: fetchedAt, digest })),
    );
    return new Set((await indexedPages(this.#pool, crawlId, rows)).map(({ key }) => key));
  }

  async settle(): Promise<void> {
    await retrying(() => cleanWords(this.#pool));
  }

  async drop(crawlId: string): Promise<void> {
    while ((await retrying(() => dropSome(this.#pool, crawlId, droppedAtOnce))).length > 0);
  }

  async search({ crawls, configs, terms, filter, limit, offset }: SearchRequest): Promise<SearchAnswer> {
    const rows = await inTransaction(this.#pool, async (db) => {
      await searchByWords(db);
      return searchPages(
        ...([
          db,
          configs,
          filterQuery(filter, Date.now()),
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
        looksOf(crawls).map(tiersQuery),
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

function rowOf(page: IndexedPage): object {
  const { key, url, title, description, text, language, status, mediaType, fetchedAt, digest } = page;
  const config = configFor(language);
  return {
    key,
    url,
    config,
    language,
    status,
    title,
    description,
    text,
    content_type: mediaType,
    fetched_at: fetchedAt,
    digest,
    shown: upTo(text, searchLimits.shown),
    marks: marksOf({ config, ...page }),
  };
}

const hitOf = (row: HitRow, crawlId: string): HitView => ({
  crawlId,
  url: row.url,
  title: row.title,
  language: row.language,
  status: row.status,
  contentType: row.content_type,
  fetchedAt: row.fetched_at.toISOString(),
  score: row.score,
  snippet: snippetOf(row.snippet),
});
