/** Takes the pages of removed crawls out of the index. */
import { retrying, type Pool } from '../postgres/index.ts';
import { droppedIndexes, forgetIndex } from './indexes.sql.ts';
import type { SearchIndex } from './search-index.ts';

/** Can be called again after a crash: a crawl is noted until all its pages are out. */
export async function dropRemoved(pool: Pool, index: Pick<SearchIndex, 'drop'>): Promise<void> {
  for (const { id } of await retrying(() => droppedIndexes(pool))) {
    await index.drop(id);
    await retrying(() => forgetIndex(pool, id));
  }
}
