/** What re-extractions are made with in tests, and an extractor of another version. */
import pino from 'pino';
import { createExtractor, type Extractor } from '../../../content/extract.ts';
import type { Extracted } from '../../../contracts/extraction.ts';
import { openBooks } from '../../../engine/books/books.ts';
import { reextractionJobs, type ReextractionTools } from '../../../engine/reextraction/job.ts';
import { workOut } from '../../support/stints.ts';
import type { BodyStore } from '../../../storage/archive/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';

const present = await createExtractor();

/** Of the extractor that runs, and of one that comes after it. */
export const versions = { present: present.version, next: present.version + 1 } as const;

/** Reads as the present one does, and then otherwise. */
export const extractorThat = (
  reads: (page: Extracted, url: string) => Extracted,
  version: number = versions.next,
): Extractor => ({
  version,
  extract: (input) => {
    const page = reads(present.extract(input), input.url);
    return { ...page, meta: { ...page.meta, version } };
  },
});

/** Titles say which version has read them. */
const titled = extractorThat((page) => ({ ...page, title: `${page.title ?? ''}, renewed` }));

export function reextractionTools(
  pool: Pool,
  blobs: Pick<BodyStore, 'get'>,
  extractor: Extractor = titled,
): ReextractionTools {
  return {
    ...{ pool, extractor, outage: () => null, log: pino({ level: 'silent' }) },
    blobs: blobs as BodyStore,
    books: openBooks(pool, { userAgent: 'Orbweaver/0 (test)', allowPrivate: [], shards: 1 }, pool),
  };
}

/** Works until nothing is left to do. */
export const workWhole = (tools: ReextractionTools, id: string): Promise<unknown> =>
  workOut(reextractionJobs(tools), id);
