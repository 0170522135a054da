/**
 * Qualities of hosts: looked up in bulk, cached in bounded memory. While all hosts are good a process looks once a minute
 * whether one is not.
 */
import { goodQuality } from '../../domain/host-quality.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { hasPoorHosts, qualitiesOf } from '../../storage/quality/index.ts';
import { lastUsed } from '../last-used.ts';

/** A new quality is in use everywhere after this time. */
const staleMs = 60_000;

export class QualityBook {
  readonly #pool: Pool;
  /** By origin. */
  readonly #qualities = lastUsed<string, number>(50_000, staleMs);
  #lookedAt = -Infinity;
  #any = false;

  constructor(pool: Pool) {
    this.#pool = pool;
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

  async #hasAny(): Promise<boolean> {
    if (performance.now() - this.#lookedAt < staleMs) return this.#any;
    const [row] = await hasPoorHosts(this.#pool);
    this.#any = row?.any ?? false;
    this.#lookedAt = performance.now();
    return this.#any;
  }
}
