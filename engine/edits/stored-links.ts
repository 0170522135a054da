/** The stored links of a crawl's pages, as they were when each page was read. */
import { canonicalize } from '../../domain/url.ts';
import { unpackOutlinks } from '../../storage/pages/index.ts';
import type { StoredLinks } from '../../storage/edits/index.ts';
import { candidate, type Candidate } from '../admission/candidates.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';

/** Links of pages in batches of `atOnce`, so that pages of ten thousand links each are not all in memory at once. */
export function* storedBatches(
  pages: Iterable<StoredLinks>,
  crawl: OpenCrawl,
  atOnce: number,
): Generator<readonly Candidate[]> {
  let batch: Candidate[] = [];
  for (const page of pages) {
    for (const candidate of storedCandidates(page, crawl)) {
      batch.push(candidate);
      if (batch.length < atOnce) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

function storedCandidates(page: StoredLinks, crawl: OpenCrawl): Candidate[] {
  return unpackOutlinks(page.origin, page.outlinks).flatMap((url): Candidate[] => {
    const link = canonicalize(url);
    return link.ok ? [candidate(crawl, link.value, { in: 'page', page })] : [];
  });
}
