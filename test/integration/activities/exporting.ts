/** The archive that an export of a crawl is, read. */
import type { PageFilter } from '../../../contracts/http/page-filter.ts';
import { archivedKinds } from '../../../domain/url-kind.ts';
import { archiveOf } from '../../../engine/archive-export.ts';
import { pageBatches } from '../../../storage/pages/index.ts';
import { allMembers } from '../../support/all-members.ts';
import { readRecords, type WrittenRecord } from '../../support/warc-records.ts';
import type { withFetching } from './fetching.ts';

export async function exportedRecords(
  { pool, blobs }: Pick<ReturnType<typeof withFetching>, 'pool' | 'blobs'>,
  crawl: number,
  filter: PageFilter = {},
): Promise<WrittenRecord[]> {
  const id = String(crawl);
  const batches = pageBatches(pool, id, [], () => Promise.resolve(null), filter, archivedKinds);
  const members: Buffer[] = [];
  for await (const member of archiveOf(pool, blobs, { crawlId: id, filter }, batches, 'gzip', 'Test'))
    members.push(member);
  return readRecords(allMembers(Buffer.concat(members), 'gzip'));
}
