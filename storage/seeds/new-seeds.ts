/** Which seeds a crawl has not met yet; with its row locked for seeds, nobody else adds one meanwhile. */
import { canonicalize } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { Queryable } from '../postgres/index.ts';
import type { SeedLine } from './seeds.ts';
import { knownUrls } from '../frontier/index.ts';
import { pendingSeeds } from './lists.sql.ts';

/** Good ones, each page once: neither in the frontier of the crawl nor waiting to get there. */
export async function newSeeds(
  db: Queryable,
  crawlId: string,
  seeds: readonly SeedLine[],
): Promise<readonly SeedLine[]> {
  const byKey = new Map<string, { readonly seed: SeedLine; readonly origin: string }>();
  for (const seed of seeds) {
    const link = canonicalize(seed.url);
    if (seed.rejected !== null || !link.ok) continue;
    const key = urlKey(link.value.canonical).toString('hex');
    if (!byKey.has(key)) byKey.set(key, { seed, origin: link.value.host });
  }
  const urls = [...byKey.values()].map(({ seed }) => seed.url);
  // In this order: a seed that is admitted between the two is found by one or both.
  const waiting = new Set((await pendingSeeds(db, crawlId, urls)).map(({ url }) => url));
  const places = [...byKey].map(([key, { origin }]) => ({ origin, key }));
  for (const { key } of await knownUrls(db, crawlId, JSON.stringify(places))) byKey.delete(key);
  return [...byKey.values()].flatMap(({ seed }) => (waiting.has(seed.url) ? [] : [seed]));
}
