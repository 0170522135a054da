/** The daily look at hosts, a few at a time, in the order of their ids. */
import { nextQuality, qualityParts } from '../../domain/host-quality.ts';
import { type Pool, retrying } from '../postgres/index.ts';
import { sampleHosts, storeQualities } from './quality.sql.ts';

const daySeconds = 86_400;
/** A host of which a crawl has fewer URLs is not judged yet: it is looked at again in the next round. */
const fewestUrls = 20;

/**
 * Looks at up to `limit` hosts after an id, those whose last look is a day old. Answers the id after which the next look
 * goes on; 0: it begins anew.
 */
export async function lookAtQuality(
  pool: Pool,
  after: number,
  limit: number,
  everySeconds = daySeconds,
): Promise<number> {
  const hosts = await sampleHosts(pool, after, limit, everySeconds);
  const rows = hosts
    .filter(({ fresh, urls }) => !fresh && urls >= fewestUrls)
    .map(({ id, quality, ...sample }) => {
      const parts = qualityParts(sample);
      return { host_id: id, quality: nextQuality(quality ?? 1, parts), parts, urls: sample.urls };
    });
  if (rows.length > 0) await retrying(() => storeQualities(pool, JSON.stringify(rows)));
  return hosts.length < limit ? 0 : (hosts.at(-1)?.id ?? 0);
}
