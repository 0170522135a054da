/** What an index for searches does, whoever keeps it. */
import type { z } from 'zod';
import type { crawlSearchQuery, HitView } from '../../contracts/http/search.ts';
import type { ListedPage } from '../../contracts/page-fields.ts';
import type { Term } from '../../domain/search/query.ts';
import type { SearchedCrawl } from '../../domain/search/tiers.ts';

/** A page to be found. Texts are cut to `searchLimits`, and have breaks where words have no spaces (content/). */
export interface IndexedPage extends Pick<
  ListedPage,
  'url' | 'title' | 'description' | 'language' | 'status' | 'fetchedAt'
> {
  /** Hex. */
  readonly key: string;
  readonly origin: string;
  readonly text: string;
  /** `type/subtype`, lower case. */
  readonly mediaType: string | null;
  /** Of its answer and of what was read of its body, hex: with another digest there is another page to be found. */
  readonly digest: string;
}

/** What tells whether an index has a page as it is now. */
export type IndexedState = Pick<IndexedPage, 'key' | 'fetchedAt' | 'digest'>;

/** A field that is absent stands for any. */
export type SearchFilter = Omit<z.output<typeof crawlSearchQuery>, 'q' | 'limit' | 'cursor'>;

/** What an index is to hold from now on. */
export interface Batch {
  readonly crawlId: string;
  /** Which of the crawl's batches this is (`IndexProgress.round`). */
  readonly round: number;
  /** Pages of the crawl that were looked at before. */
  readonly looked: number;
  readonly pages: readonly IndexedPage[];
  /** Keys of pages that are to be found no more, in hex. */
  readonly gone: readonly string[];
}

export interface SearchRequest {
  /** Of many pages with the words, those of the first crawls are looked at first. */
  readonly crawls: readonly SearchedCrawl[];
  /** Text search configurations of their pages. */
  readonly configs: readonly string[];
  readonly terms: readonly Term[];
  readonly filter: SearchFilter;
  readonly limit: number;
  /** Hits to skip. */
  readonly offset: number;
}

export interface SearchAnswer {
  readonly hits: readonly HitView[];
  /** Pages that match, as far as they were looked at. */
  readonly found: number;
  /** False: more pages match than were looked at. */
  readonly isComplete: boolean;
}

export interface SearchIndex {
  /** Under which the job of a crawl knows it. */
  readonly name: string;
  /**
   * Puts pages of a crawl into the index, in place of what it had of them, and takes others out. Nothing is put for a
   * crawl that is removed, nor by a batch whose round is over: a process that was frozen meanwhile would bring back what
   * pages once were.
   */
  put(batch: Batch): Promise<void>;
  /**
   * Which of these pages of a crawl it has as they are now, by their keys. Pages that were put before digests were kept are
   * compared by the time of their answer alone.
   */
  has(crawlId: string, pages: readonly IndexedState[]): Promise<ReadonlySet<string>>;
  /** All pages that were put are found from now on, and quickly. */
  settle(): Promise<void>;
  search(request: SearchRequest): Promise<SearchAnswer>;
  /** Takes all pages of a crawl out. */
  drop(crawlId: string): Promise<void>;
}
