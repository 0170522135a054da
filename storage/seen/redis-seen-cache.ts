/**
 * Level 2: seen keys shared between processes in Redis, as plain sets, one for each crawl and first byte of the key.
 * Redis may evict a set or vanish: then it knows nothing and Postgres answers (fails open). Sets expire after a week
 * without use. While Redis does not answer in time it is left alone for a moment, so that a Redis that is frozen costs
 * half a second now and then, and not half a second a batch.
 */
import type { Redis } from 'ioredis';
import type { SeenCache } from './seen-cache.ts';

const weekSeconds = 7 * 24 * 3_600;
const restMs = 5_000;

export class RedisSeenCache implements SeenCache {
  readonly #redis: Redis;
  readonly #instance: string;
  readonly #onError: (error: unknown) => void;
  /** Of `performance.now()`. */
  #restsUntil = 0;

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

  async known(crawl: string, keys: readonly Uint8Array[]): Promise<readonly boolean[]> {
    const known = new Array<boolean>(keys.length).fill(false);
    if (!this.#answers()) return known;
    const sets = [...bySet(`seen:${this.#instance}:${crawl}`, keys)];
    const pipeline = this.#redis.pipeline();
    for (const [set, places] of sets) pipeline.smismember(set, ...places.map(({ key }) => Buffer.from(key)));
    try {
      const replies = (await pipeline.exec()) ?? [];
      sets.forEach(([, places], at) => {
        const [error, members] = replies[at] ?? [null, []];
        if (error !== null) this.#failed(error);
        else places.forEach(({ place }, index) => (known[place] = (members as number[])[index] === 1));
      });
    } catch (error) {
      this.#failed(error);
    }
    return known;
  }

  async remember(crawl: string, keys: readonly Uint8Array[]): Promise<void> {
    if (keys.length === 0 || !this.#answers()) return;
    const pipeline = this.#redis.pipeline();
    for (const [set, places] of bySet(`seen:${this.#instance}:${crawl}`, keys)) {
      pipeline.sadd(set, ...places.map(({ key }) => Buffer.from(key)));
      pipeline.expire(set, weekSeconds);
    }
    try {
      for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) this.#failed(error);
    } catch (error) {
      this.#failed(error);
    }
  }

  #answers(): boolean {
    return this.#redis.status === 'ready' && performance.now() >= this.#restsUntil;
  }

  /** An error that Redis told is an answer: no room, another kind of value. */
  #failed(error: unknown): void {
    if (!(error instanceof Error && error.name === 'ReplyError'))
      this.#restsUntil = performance.now() + restMs;
    this.#onError(error);
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
