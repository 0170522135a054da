/** The daily look at hosts, a few at a time, in the order of their ids: their quality, their budget and their esteem. */
import {
  dailyBudget,
  esteemOf,
  isLeftForLater,
  nextQuality,
  qualityParts,
} from '../../domain/host-quality.ts';
import { type Pool, retrying } from '../postgres/index.ts';
import {
  notePin,
  sampleHosts,
  settleQualities,
  storeQualities,
  type Consequences,
  type LookedAt,
  type SampledHost,
} from './quality.sql.ts';

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
  const rows = hosts.filter(({ fresh }) => !fresh).map(judged);
  if (rows.some(({ quality }) => quality !== null))
    await retrying(() => storeQualities(pool, JSON.stringify(rows)));
  if (rows.length > 0) await retrying(() => settleQualities(pool, JSON.stringify(rows), false));
  return hosts.length < limit ? 0 : (hosts.at(-1)?.id ?? 0);
}

function judged(host: SampledHost): LookedAt {
  const { id, quality: before, later: wasLater, linked, pinned, place, urls } = host;
  const parts = qualityParts(host);
  const enough = urls >= fewestUrls;
  const quality = enough ? nextQuality(before ?? 1, parts) : null;
  const later = enough ? isLeftForLater(host, wasLater) : wasLater;
  const inbound = enough ? parts.inbound : linked;
  const follows = consequences(
    { id, quality: quality ?? before ?? 1, later, linked: inbound, place },
    pinned,
  );
  return { ...follows, quality, later, parts, urls };
}

function consequences(
  host: Pick<SampledHost, 'id' | 'later' | 'linked' | 'place'> & { readonly quality: number },
  pinned: number | null,
): Consequences {
  const inForce = [pinned ?? host.quality, pinned === null && host.later] as const;
  return {
    host_id: host.id,
    pinned,
    budget: dailyBudget(...inForce),
    esteem: esteemOf(...inForce, host.place, host.linked),
  };
}

/**
 * Pins the quality of a host, or takes the pin back (null); budget and esteem follow at once. The caller must wake a
 * workflow that sleeps. False: there is no such host.
 */
export async function pinQuality(pool: Pool, origin: string, quality: number | null): Promise<boolean> {
  const [host] = await retrying(() => notePin(pool, origin, quality));
  if (host === undefined) return false;
  await retrying(() => settleQualities(pool, JSON.stringify([consequences(host, quality)]), true));
  return true;
}
