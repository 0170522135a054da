/**
 * What is thought of hosts: their quality, and their places in the imported ranking of domains. Both are looked up in bulk,
 * and cached in bounded memory. While there is nothing to find, a process looks once a minute whether there is.
 */
import { goodQuality } from '../../domain/host-quality.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { hasPoorHosts, qualitiesOf } from '../../storage/quality/index.ts';
import { lastUsed } from '../last-used.ts';
import { hostName } from '../../domain/opt-out.ts';
import { domainsAbove } from '../../domain/priority/trust.ts';
import { hasRanks, ranksOf } from '../../storage/ranks/index.ts';

/** A new quality, or a ranking that is imported, is in use everywhere after this time. */
const staleMs = 60_000;

/** Is there anything to find? Asks again when the answer is stale. */
function remembered(ask: () => Promise<readonly { readonly any: boolean }[]>): () => Promise<boolean> {
  let [askedAt, any] = [-Infinity, false];
  return async () => {
    if (performance.now() - askedAt < staleMs) return any;
    const [row] = await ask();
    [askedAt, any] = [performance.now(), row?.any ?? false];
    return any;
  };
}

export class QualityBook {
  readonly #pool: Pool;
  /** By origin. */
  readonly #qualities = lastUsed<string, number>(50_000, staleMs);
  readonly #hasAny: () => Promise<boolean>;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#hasAny = remembered(() => hasPoorHosts(pool));
  }

  /** Qualities by origin; a host that is good, or of which nothing is known, has none. */
  async of(origins: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const poor = new Map<string, number>();
    if (!(await this.#hasAny())) return poor;
    const unknown: string[] = [];
    for (const origin of new Set(origins)) {
      const quality = this.#qualities.get(origin);
      if (quality === undefined) unknown.push(origin);
      else if (quality < goodQuality) poor.set(origin, quality);
    }
    if (unknown.length === 0) return poor;
    const rows = await qualitiesOf(this.#pool, unknown);
    const found = new Map(rows.map(({ origin, quality }) => [origin, quality]));
    for (const origin of unknown) {
      const quality = found.get(origin) ?? 1;
      this.#qualities.set(origin, quality);
      if (quality < goodQuality) poor.set(origin, quality);
    }
    return poor;
  }
}

export class RankBook {
  readonly #pool: Pool;
  /** By name; 0: the host is not in the ranking. */
  readonly #places = lastUsed<string, number>(50_000, 10 * staleMs);
  readonly #hasAny: () => Promise<boolean>;

  constructor(pool: Pool) {
    this.#pool = pool;
    this.#hasAny = remembered(() => hasRanks(pool));
  }

  /** Places by origin; an origin whose host is not ranked, nor a domain above it, has none. */
  async placesOf(origins: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const places = new Map<string, number>();
    const unknown = new Map<string, string>();
    for (const origin of new Set(origins)) {
      const name = hostName(origin);
      const place = this.#places.get(name);
      if (place === undefined) unknown.set(origin, name);
      else if (place > 0) places.set(origin, place);
    }
    if (unknown.size === 0 || !(await this.#hasAny())) return places;
    const above = new Map([...unknown.values()].map((name) => [name, domainsAbove(name)]));
    const rows = await ranksOf(this.#pool, [...new Set([...above.values()].flat())]);
    const ranked = new Map(rows.map(({ domain, place }) => [domain, place]));
    for (const [origin, name] of unknown) {
      const nearest = above.get(name)?.find((domain) => ranked.has(domain));
      const place = nearest === undefined ? 0 : (ranked.get(nearest) ?? 0);
      this.#places.set(name, place);
      if (place > 0) places.set(origin, place);
    }
    return places;
  }
}
