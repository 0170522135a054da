/** Every page of a crawl, read as the API reads them. */
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { pageBatches, type TextReader } from '../../storage/pages/index.ts';
import type { Queryable } from '../../storage/postgres/index.ts';

/** From the start, as far as the feed goes now: whole for a closed crawl. */
export async function* allPages(
  db: Queryable,
  crawlId: string,
  fields: readonly PageField[] = [],
  textOf: TextReader = () => Promise.resolve(null),
): AsyncGenerator<PageView> {
  for await (const pages of pageBatches(db, crawlId, fields, textOf, {})) yield* pages;
}
