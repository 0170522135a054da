/**
 * Places of hosts in the imported ranking of domains: looked up in bulk, cached in bounded memory. Without a ranking a
 * process looks once a minute whether there is one.
 */
import { hostName } from '../../domain/opt-out.ts';
import { domainsAbove } from '../../domain/priority/trust.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { hasRanks, ranksOf } from '../../storage/ranks/index.ts';
import { lastUsed } from '../last-used.ts';

/** A ranking that is imported is in use everywhere after this time. */
const staleMs = 60_000;

export class RankBook {
  readonly #pool: Pool;
  /** By name; 0: the host is not in the ranking. */
  readonly #places = lastUsed<string, number>(50_000, 10 * staleMs);
  #lookedAt = -Infinity;
  #exists = false;

  constructor(pool: Pool) {
    this.#pool = pool;
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

  async #hasAny(): Promise<boolean> {
    if (performance.now() - this.#lookedAt < staleMs) return this.#exists;
    const [row] = await hasRanks(this.#pool);
    this.#exists = row?.any ?? false;
    this.#lookedAt = performance.now();
    return this.#exists;
  }
}
