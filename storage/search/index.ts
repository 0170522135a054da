/** Full text: which crawls have an index, and the index itself. */
export { configFor } from './configs.ts';
export { dropRemoved } from './dropping.ts';
export { PostgresIndex } from './postgres-index.ts';
export type { Batch, IndexedPage, SearchAnswer, SearchFilter, SearchIndex } from './search-index.ts';
export { askIndex, findIndex, indexedCrawls, noteIndexed, openIndexes } from './indexes.sql.ts';
