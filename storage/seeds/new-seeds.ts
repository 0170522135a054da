/**
 * Tells which seeds a crawl has not met yet. The caller must hold the crawl's row for seeds, so that nobody else adds a
 * seed meanwhile.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { canonicalize } from '../../domain/url.ts';
import { urlKey } from '../../contracts/url-key.ts';
import type { Queryable } from '../postgres/index.ts';
import type { SeedLine } from './seeds.ts';
import { knownUrls } from '../frontier/index.ts';
import { pendingSeeds } from './lists.sql.ts';

/** Seeds that are looked at before the process does other work. */
const atATime = 250;

/** The accepted seeds, each page once, that are neither in the frontier of the crawl nor waiting to be admitted. */
export async function newSeeds(
  db: Queryable,
  crawlId: string,
  seeds: readonly SeedLine[],
): Promise<readonly SeedLine[]> {
  const byKey = new Map<string, { readonly seed: SeedLine; readonly origin: string }>();
  for (const [at, seed] of seeds.entries()) {
    if (at % atATime === atATime - 1) await breathe();
    const link = canonicalize(seed.url);
    if (seed.rejected !== null || !link.ok) continue;
    const key = urlKey(link.value.canonical).toString('hex');
    if (!byKey.has(key)) byKey.set(key, { seed, origin: link.value.host });
  }
  const urls = [...byKey.values()].map(({ seed }) => seed.url);
  // The waiting seeds are read first: a seed that is admitted between the two reads is then found by one read or both.
  const waiting = new Set((await pendingSeeds(db, crawlId, urls)).map(({ url }) => url));
  const places = [...byKey].map(([key, { origin }]) => ({ origin, key }));
  for (const { key } of await knownUrls(db, crawlId, JSON.stringify(places))) byKey.delete(key);
  return [...byKey.values()].flatMap(({ seed }) => (waiting.has(seed.url) ? [] : [seed]));
}
