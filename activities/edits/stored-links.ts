/** The links of pages that a crawl has stored, as they were when the page was read. */
import { canonicalize } from '../../domain/url.ts';
import { unpackOutlinks } from '../../storage/outlinks.ts';
import type { StoredLinks } from '../../storage/statements/pages-to-reread.ts';
import type { Candidate } from '../admission.ts';
import type { OpenCrawl } from '../crawl-book.ts';

export function storedCandidates(page: StoredLinks, crawl: OpenCrawl): Candidate[] {
  const parent = { hostId: page.host_id, key: page.key };
  const depth = page.depth + 1;
  return unpackOutlinks(page.origin, page.outlinks).flatMap((url): Candidate[] => {
    const link = canonicalize(url);
    return link.ok ? [{ crawl, link: link.value, kind: 'page', seed: false, depth, hops: 0, parent }] : [];
  });
}
