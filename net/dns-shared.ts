/**
 * DNS answers shared between processes in Redis, under its own expiry. Redis may forget or vanish: then nothing is
 * known and DNS is asked (fails open). Only whole answers with addresses are shared; a shared answer is trusted no
 * more than DNS is, since the connector judges every address. Whatever else stands in Redis under a name counts as
 * nothing: what is no list of addresses, and what is longer than any list of ours.
 */
import { isIP } from 'node:net';
import type { Redis } from 'ioredis';
import type { ResolvedAddress } from './resolver.ts';

/** Four addresses of each family take 219 characters. */
const mostCharacters = 256;

export interface SharedAnswer {
  readonly addresses: readonly ResolvedAddress[];
  readonly freshMs: number;
}

/** Neither method ever rejects. */
export interface SharedAnswers {
  get(hostname: string): Promise<SharedAnswer | null>;
  put(hostname: string, addresses: readonly ResolvedAddress[], freshMs: number): Promise<void>;
}

export class RedisAnswers implements SharedAnswers {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #onError: (error: unknown) => void;

  /**
   * @param scope shares only with those of equal scope: resolvers of another view may answer otherwise.
   * @param onError told of each failed call; the call itself then knows nothing.
   */
  constructor(redis: Redis, scope: string, onError: (error: unknown) => void) {
    this.#redis = redis;
    this.#prefix = `dns:${scope}:`;
    this.#onError = onError;
  }

  async get(hostname: string): Promise<SharedAnswer | null> {
    if (this.#redis.status !== 'ready') return null;
    const key = this.#prefix + hostname;
    try {
      const [text, freshMs] = await Promise.all([
        this.#redis.getrange(key, 0, mostCharacters),
        this.#redis.pttl(key),
      ]);
      const addresses = text.length > mostCharacters ? [] : text.split(',').map(addressOf);
      // Negative where there is no key or no expiry.
      return addresses.length === 0 || addresses.includes(null) || freshMs <= 0
        ? null
        : { addresses: addresses.filter((each) => each !== null), freshMs };
    } catch (error) {
      this.#onError(error);
      return null;
    }
  }

  async put(hostname: string, addresses: readonly ResolvedAddress[], freshMs: number): Promise<void> {
    if (this.#redis.status !== 'ready') return;
    const text = addresses.map(({ address }) => address).join(',');
    try {
      await this.#redis.set(this.#prefix + hostname, text, 'PX', freshMs);
    } catch (error) {
      this.#onError(error);
    }
  }
}

function addressOf(address: string): ResolvedAddress | null {
  const family = isIP(address);
  return family === 4 || family === 6 ? { address, family } : null;
}
