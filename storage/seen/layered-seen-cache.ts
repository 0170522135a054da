/** Level 1 in front of level 2: if level 1 does not know a key, level 2 is asked, and level 1 remembers the answer. */
import type { SeenCache } from './seen-cache.ts';

export class LayeredSeenCache implements SeenCache {
  readonly #near: SeenCache;
  readonly #far: SeenCache;

  constructor(near: SeenCache, far: SeenCache) {
    this.#near = near;
    this.#far = far;
  }

  async known(crawl: string, keys: readonly Uint8Array[]): Promise<readonly boolean[]> {
    const near = await this.#near.known(crawl, keys);
    const missing = keys.filter((_, at) => near[at] !== true);
    if (missing.length === 0) return near;
    const far = await this.#far.known(crawl, missing);
    await this.#near.remember(
      crawl,
      missing.filter((_, at) => far[at] === true),
    );
    let next = 0;
    return near.map((known) => known || far[next++] === true);
  }

  async remember(crawl: string, keys: readonly Uint8Array[]): Promise<void> {
    await this.#near.remember(crawl, keys);
    await this.#far.remember(crawl, keys);
  }
}
