/**
 * Counts requests in Redis where there is one, so that all API processes share the counts; in the process where there
 * is none, or while it does not answer.
 */
import type { ClientRateLimitInfo, Options, Store } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

/** Where requests are counted besides the process. */
export interface SharedCounts {
  readonly redis: Redis;
  /** Of the database: several instances may share a Redis. */
  readonly instance: () => Promise<string>;
  readonly onError: (error: unknown) => void;
}

/** Counts a request, and says how many there were and how long the window goes on: one step for whoever looks. */
const countScript = `
local hits = redis.call('INCR', KEYS[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return {hits, left}`;

/** Callers counted at a time in the process; whoever is pushed out by others begins anew. */
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

  /** Part of the interface; nothing here takes a count back. */
  decrement(): void {
    return;
  }

  resetKey(key: string): void {
    this.#own.delete(key);
  }

  /** In one go, and a copy: requests that come together must not see each other's count. */
  #incrementOwn(key: string): ClientRateLimitInfo {
    const now = performance.now();
    const known = this.#own.get(key);
    const window =
      known !== undefined && known.resetAt > now ? known : { hits: 0, resetAt: now + this.#windowMs };
    window.hits++;
    this.#own.set(key, window);
    return { totalHits: window.hits, resetTime: new Date(Date.now() + window.resetAt - now) };
  }

  /** Null: Redis is not there. */
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
