/** Counts the blocks of pages for their host, and says which ones are left out. */
import type { PageBlock, Repeated } from '../../contracts/extraction.ts';
import { BlockCounts, mostPages } from '../../domain/boilerplate/block-counts.ts';
import { inTransaction, retrying, type Pool, type Queryable } from '../postgres/index.ts';
import { beginCounts, lockCounts, putCounts, repeatedBlocks } from './boilerplate.sql.ts';

/** What is known of a host: the marks that are left out, and whether any page more would be counted. */
export interface KnownBlocks {
  readonly marks: Repeated;
  readonly isFull: boolean;
}

const nothing: KnownBlocks = { marks: new Set(), isFull: false };

export async function findBlocks(db: Queryable, crawlId: string, origin: string): Promise<KnownBlocks> {
  const [row] = await repeatedBlocks(db, crawlId, origin);
  if (row === undefined) return nothing;
  return { marks: new Set(row.repeated.map(({ mark }) => mark)), isFull: row.pages >= mostPages };
}

/** Looks up what is left out of a page by its URL, each host once. */
export function repeatedReader(db: Queryable, crawlId: string): (url: string) => Promise<Repeated> {
  const known = new Map<string, Promise<KnownBlocks>>();
  return async (url) => {
    const { origin } = new URL(url);
    const found = known.get(origin) ?? findBlocks(db, crawlId, origin);
    known.set(origin, found);
    return (await found).marks;
  };
}

/**
 * Counts pages of one host. A crash between the commit of a page and this loses the page for the counts, which then say
 * the same of one page fewer.
 */
export async function countBlocks(
  pool: Pool,
  hostId: number,
  crawlId: number,
  pages: readonly (readonly PageBlock[])[],
): Promise<void> {
  await retrying(() => beginCounts(pool, hostId, crawlId));
  await inTransaction(pool, async (db) => {
    const [row] = await lockCounts(db, hostId, crawlId);
    // The crawl has been removed meanwhile.
    if (row === undefined || row.counts.pages >= mostPages) return;
    const counts = new BlockCounts(row.counts);
    for (const blocks of pages) counts.add(new Set(blocks.map(({ mark }) => mark)));
    const texts = new Map([...row.repeated, ...pages.flat()].map(({ mark, text }) => [mark, text]));
    const repeated = [...counts.repeated()].map(([mark, of]) => ({
      mark,
      pages: of,
      text: texts.get(mark) ?? '',
    }));
    await putCounts(
      ...([db, hostId, crawlId, counts.pages, JSON.stringify(counts.stored())] as const),
      JSON.stringify(repeated),
    );
  });
}
