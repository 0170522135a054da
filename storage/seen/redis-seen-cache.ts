/**
 * Level 2: seen keys shared between processes in Redis, as plain sets, one for each crawl and first byte of the key.
 * Redis may evict a set or vanish: then it knows nothing and Postgres answers (fails open). Sets expire after a week
 * without use.
 */
import type { Redis } from 'ioredis';
import type { SeenCache } from './seen-cache.ts';

const weekSeconds = 7 * 24 * 3_600;

export class RedisSeenCache implements SeenCache {
  readonly #redis: Redis;
  readonly #instance: string;
  readonly #onError: (error: unknown) => void;

  /**
   * @param instance id of the database in which the keys are committed: another database begins anew with its crawl
   * ids.
   * @param onError is called with the error of each failed call; the call itself answers "not known".
   */
  constructor(redis: Redis, instance: string, onError: (error: unknown) => void) {
    this.#redis = redis;
    this.#instance = instance;
    this.#onError = onError;
  }

  async known(crawlId: number, keys: readonly Uint8Array[]): Promise<readonly boolean[]> {
    const known = new Array<boolean>(keys.length).fill(false);
    if (this.#redis.status !== 'ready') return known;
    const sets = [...bySet(`seen:${this.#instance}:${String(crawlId)}`, keys)];
    const pipeline = this.#redis.pipeline();
    for (const [set, places] of sets) pipeline.smismember(set, ...places.map(({ key }) => Buffer.from(key)));
    try {
      const replies = (await pipeline.exec()) ?? [];
      sets.forEach(([, places], at) => {
        const [error, members] = replies[at] ?? [null, []];
        if (error !== null) this.#onError(error);
        else places.forEach(({ place }, index) => (known[place] = (members as number[])[index] === 1));
      });
    } catch (error) {
      this.#onError(error);
    }
    return known;
  }

  async remember(crawlId: number, keys: readonly Uint8Array[]): Promise<void> {
    if (keys.length === 0 || this.#redis.status !== 'ready') return;
    const pipeline = this.#redis.pipeline();
    for (const [set, places] of bySet(`seen:${this.#instance}:${String(crawlId)}`, keys)) {
      pipeline.sadd(set, ...places.map(({ key }) => Buffer.from(key)));
      pipeline.expire(set, weekSeconds);
    }
    try {
      for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) this.#onError(error);
    } catch (error) {
      this.#onError(error);
    }
  }
}

function bySet(
  prefix: string,
  keys: readonly Uint8Array[],
): Map<string, { readonly key: Uint8Array; readonly place: number }[]> {
  const sets = new Map<string, { key: Uint8Array; place: number }[]>();
  keys.forEach((key, place) => {
    const set = `${prefix}:${(key[0] ?? 0).toString(16)}`;
    const members = sets.get(set);
    if (members === undefined) sets.set(set, [{ key, place }]);
    else members.push({ key, place });
  });
  return sets;
}
