/**
 * Reads a page in the process that fetched it, while its record is brought to disk, and stores its result, its text and its
 * links in one transaction (docs/design.md, "At once"). The page must have been asked for the first time: then nothing of an
 * earlier body has to give way.
 */
import type { Extractor } from '../../content/extract.ts';
import { storedStages } from '../../domain/stage.ts';
import { ClaimLost, type FrontierWriter, type ResultRow } from '../../storage/frontier/index.ts';
import type { StagedBody } from '../../storage/pages/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import { newClaim } from './dedup.ts';
import { type Opened, PageReader } from './read-pages.ts';

export class ReaderAtHand {
  readonly #dependencies: Dependencies;
  readonly #extractor: () => Promise<Extractor>;
  #made: Promise<PageReader> | null = null;
  /** Contents that have no id yet are named -1, -2, and so on: how many were. */
  #named = 0;

  /** @param extractor takes 25 MB: it is made for the first page */
  constructor(dependencies: Dependencies, extractor: () => Promise<Extractor>) {
    this.#dependencies = dependencies;
    this.#extractor = extractor;
  }

  get #reader(): Promise<PageReader> {
    this.#made ??= this.#extractor().then((extractor) => new PageReader(this.#dependencies, extractor));
    return this.#made;
  }

  /** As `PageReader.readAtHand`. Writes nothing. */
  async read(
    staged: Omit<StagedBody, 'content_id'>,
    crawl: OpenCrawl,
    body: Uint8Array,
  ): Promise<Opened | null> {
    return (await this.#reader).readAtHand({ ...staged, content_id: -++this.#named }, crawl, body);
  }

  /**
   * Resolves once all is durable, with what is left to do. Null: nothing was written, since the page may be a copy, or its
   * result comes too late.
   */
  async store(
    opened: Opened,
    row: ResultRow,
    writer: Pick<FrontierWriter, 'write'>,
  ): Promise<(() => Promise<void>) | null> {
    const claim = await newClaim(this.#dependencies.pool, opened.reading.staged, row.known !== false);
    if (claim === null) return null;
    const reader = await this.#reader;
    try {
      const written = await reader.store([opened], writer, ([end]) => ({
        results: [
          {
            ...row,
            stage: storedStages.none,
            content_id: claim.content_id,
            ...(end !== undefined && Object.keys(end.cut).length > 0 && { cut: end.cut }),
          },
        ],
        claims: [claim],
      }));
      return () => reader.finish([opened], written);
    } catch (error) {
      if (error instanceof ClaimLost) return null;
      throw error;
    }
  }
}
