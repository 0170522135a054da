/** Full text: which crawls have an index, and the index itself. */
import type { Pool } from '../postgres/index.ts';
import type { OpenSearchAt } from './opensearch-index.ts';
import { PostgresIndex } from './postgres-index.ts';
import type { SearchIndex } from './search-index.ts';

export { configFor } from './configs.ts';
export { dropRemoved } from './dropping.ts';
export { PostgresIndex };
export { SearchDown } from './search-down.ts';
export type { IndexedPage, SearchAnswer, SearchFilter, SearchIndex } from './search-index.ts';
export {
  askIndex,
  indexedCrawls,
  indexRows,
  openIndexes,
  restartIndex,
  type IndexRow,
} from './indexes.sql.ts';

/**
 * The index that the settings name. OpenSearch's client takes a quarter of a second to load, and few use it.
 * @param at null: Postgres
 * @param patience milliseconds for a call to OpenSearch; absent: as usual
 */
export async function openIndex(
  pool: Pool,
  at: OpenSearchAt | null,
  patience?: number,
): Promise<SearchIndex> {
  if (at === null) return new PostgresIndex(pool);
  const { OpenSearchIndex } = await import('./opensearch-index.ts');
  return new OpenSearchIndex(pool, at, patience);
}
