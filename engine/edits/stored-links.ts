/** The stored links of a crawl's pages, as they were when each page was read. */
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import { unpackOutlinks } from '../../storage/pages/index.ts';
import type { StoredLinks } from '../../storage/edits/index.ts';

export interface StoredLink {
  readonly link: CanonicalUrl;
  readonly page: StoredLinks;
}

/** Links of pages in batches of `atOnce`, so that pages of ten thousand links each are not all in memory at once. */
export function* storedBatches(
  pages: Iterable<StoredLinks>,
  atOnce: number,
): Generator<readonly StoredLink[]> {
  let batch: StoredLink[] = [];
  for (const page of pages) {
    for (const url of unpackOutlinks(page.origin, page.outlinks)) {
      const link = canonicalize(url);
      if (!link.ok) continue;
      batch.push({ link: link.value, page });
      if (batch.length < atOnce) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
