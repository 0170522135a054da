/** Ids of hosts by origin: looked up in bulk, made if missing, cached in bounded memory. Ids never change. */
import { shardOf } from '../../domain/shard.ts';
import { type Pool, retrying } from '../../storage/postgres/index.ts';
import { ensureHosts, hostIds } from '../../storage/hosts/index.ts';
import { lastUsed } from '../last-used.ts';

export class HostBook {
  readonly #pool: Pool;
  readonly #shards: number;
  readonly #ids = lastUsed<string, number>(100_000);

  constructor(pool: Pool, shards: number) {
    this.#pool = pool;
    this.#shards = shards;
  }

  /** Ids of all origins given. */
  async idsOf(origins: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const ids = new Map<string, number>();
    const unknown = new Set<string>();
    for (const origin of origins) {
      const id = this.#ids.get(origin);
      if (id === undefined) unknown.add(origin);
      else ids.set(origin, id);
    }
    if (unknown.size === 0) return ids;
    const wanted = [...unknown];
    const rows = wanted.map((origin) => ({ origin, shard: shardOf(origin, this.#shards) }));
    await retrying(() => ensureHosts(this.#pool, JSON.stringify(rows)));
    for (const { id, origin } of await hostIds(this.#pool, wanted)) {
      ids.set(origin, id);
      this.#ids.set(origin, id);
    }
    return ids;
  }

  async idOf(origin: string): Promise<number> {
    const id = (await this.idsOf([origin])).get(origin);
    if (id === undefined) throw new Error(`no host row for ${origin}`);
    return id;
  }

  /** Null: no URL of the origin was ever met. */
  async knownIdOf(origin: string): Promise<number | null> {
    const [host] = this.#ids.has(origin) ? [] : await hostIds(this.#pool, [origin]);
    if (host !== undefined) this.#ids.set(origin, host.id);
    return this.#ids.get(origin) ?? null;
  }
}
