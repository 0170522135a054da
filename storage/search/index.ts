/** Full text: which crawls have an index, and the index itself. */
import type { Pool } from '../postgres/index.ts';
import { OpenSearchIndex, type OpenSearchAt } from './opensearch-index.ts';
import { PostgresIndex } from './postgres-index.ts';
import type { SearchIndex } from './search-index.ts';

export { configFor } from './configs.ts';
export { dropRemoved } from './dropping.ts';
export { OpenSearchIndex, PostgresIndex };
export { SearchDown } from './search-down.ts';
export type { Batch, IndexedPage, SearchAnswer, SearchFilter, SearchIndex } from './search-index.ts';
export {
  askIndex,
  findIndex,
  indexedCrawls,
  moveIndex,
  noteIndexed,
  openIndexes,
  restartIndex,
} from './indexes.sql.ts';

/** The index that the settings name. @param at null: Postgres */
export const indexIn = (pool: Pool, at: OpenSearchAt | null): SearchIndex =>
  at === null ? new PostgresIndex(pool) : new OpenSearchIndex(pool, at);
