/**
 * Counts requests in Redis if there is one, so that all API processes share the counts; otherwise, and while Redis does
 * not answer, in the process.
 */
import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

/** A shared place that counts requests besides the process. */
export interface SharedCounts {
  readonly redis: Redis;
  /** Id of the database: several instances may share a Redis. */
  readonly instance: () => Promise<string>;
  readonly onError: (error: unknown) => void;
}

/** Counts a request, and answers the count and how long the window goes on. One atomic step. */
const countScript = `
local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {hits, left}`;

/** Callers that the process counts at a time; a caller that others push out begins anew. */
const counted = 50_000;

export class RateStore implements Store {
  readonly #name: string;
  readonly #shared: SharedCounts | null;
  readonly #own = new LRUCache<string, { hits: number; readonly resetAt: number }>({ max: counted });
  #windowMs = 0;

  constructor(name: string, shared: SharedCounts | null) {
    this.#name = name;
    this.#shared = shared;
  }

  init(options: Options): void {
    this.#windowMs = options.windowMs;
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    return (await this.#incrementShared(key)) ?? this.#incrementOwn(key);
  }

  /** Part of the interface; nothing in the API takes a count back. */
  decrement(): void {
    return;
  }

  resetKey(key: string): void {
    this.#own.delete(key);
  }

  /** Synchronous, and returns a copy: requests that come together must not see each other's count. */
  #incrementOwn(key: string): ClientRateLimitInfo {
    const now = performance.now();
    const known = this.#own.get(key);
    const window =
      known !== undefined && known.resetAt > now ? known : { hits: 0, resetAt: now + this.#windowMs };
    window.hits++;
    this.#own.set(key, window);
    return { totalHits: window.hits, resetTime: new Date(Date.now() + window.resetAt - now) };
  }

  /** Null: Redis is away. */
  async #incrementShared(key: string): Promise<ClientRateLimitInfo | null> {
    if (this.#shared?.redis.status !== 'ready') return null;
    const { redis, instance, onError } = this.#shared;
    try {
      const name = `rate:${await instance()}:${this.#name}:${key}`;
      const [hits, left] = (await redis.eval(countScript, 1, name, this.#windowMs)) as [number, number];
      return { totalHits: hits, resetTime: new Date(Date.now() + left) };
    } catch (error) {
      onError(error);
      return null;
    }
  }
}
