/** The URLs of a job as one JSON document, which is written while the URLs are read: a crawl may have millions. */
import type { JobUrls } from '../../contracts/http/compat.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { listCrawlUrls } from '../../storage/frontier/index.ts';

/** URLs that are read and held at a time. */
const batch = 2_000;

/**
 * Answers chunks of text. The next batch is read when the caller has taken the chunk before. The crawl must be over, so
 * that its URLs do not change any more.
 */
export async function* jobUrlsDocument(
  pool: Pool,
  crawlId: string,
  head: Omit<JobUrls, 'extracted_urls'>,
): AsyncGenerator<string> {
  const opening = JSON.stringify(head).slice(0, -1);
  let before = `${opening},"extracted_urls":[`;
  for (let host = 0, key = ''; ;) {
    const rows = await listCrawlUrls(pool, crawlId, host, key, batch);
    const last = rows.at(-1);
    if (last !== undefined) {
      yield before + rows.map(({ url }) => JSON.stringify(url)).join(',');
      before = ',';
      ({ host_id: host, key } = last);
    }
    if (rows.length < batch) break;
  }
  yield before === ',' ? ']}' : `${before}]}`;
}
