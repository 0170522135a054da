/** A host whose only URLs a quarantine keeps back is not asked for anything: its URLs are excluded at the door. */
import { returnUrls } from '../../storage/frontier/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import type { FetchContext } from '../visit/fetch-context.ts';
import { keptBack } from '../visit/gates.ts';
import type { HostVisit } from '../visit/host-visit.ts';
import { leaseWithinLimits } from '../visit/lease-within-limits.ts';
import { excludedRow, placeOf } from '../visit/record.ts';

/** URLs that are looked at together. */
const batch = 200;

/** Excludes what is kept back of the URLs that are due at the host. True: some were, and nothing else is due there. */
export async function isAllKeptBack(context: FetchContext, visit: HostVisit): Promise<boolean> {
  const { lease, origin, crawls } = visit;
  if (!crawls.some(({ quarantine }) => quarantine?.knows(origin) === true)) return false;
  const { pool, writer } = context.dependencies;
  const { hostId, taken } = lease;
  for (let excluded = 0; ;) {
    const urls = await leaseWithinLimits(pool, hostId, taken.token, batch, crawls);
    if (urls.length === 0) return excluded > 0;
    const results = urls.flatMap((url) => {
      const crawl = crawls.find(({ id }) => id === url.crawl_id);
      const refusal = crawl === undefined ? null : keptBack(origin, { url, crawl });
      return refusal === null ? [] : [excludedRow(placeOf(lease, url), refusal)];
    });
    if (results.length > 0) await writer.write({ results });
    excluded += results.length;
    if (results.length === urls.length) continue;
    await retrying(() => returnUrls(pool, hostId, taken.token));
    return false;
  }
}
