/**
 * Level 1: an exact cache of seen keys in fixed memory. Each key belongs to a set of four slots; a new key pushes out
 * the oldest of its set. A slot has 24 bytes: the whole 128-bit key and the crawl's id are compared, so that no new URL
 * is ever called seen.
 */
import type { SeenCache } from './seen-cache.ts';

const ways = 4;
/** 32-bit words of a slot: high and low word of the crawl's id, and four words of the key. */
const words = 6;

export class MemorySeenCache implements SeenCache {
  readonly #slots: Uint32Array;
  readonly #next: Uint8Array;
  readonly #sets: number;

  /** @param capacity keys that are held at most; rounded down to a multiple of four. A million keys take 24 MiB. */
  constructor(capacity = 1_000_000) {
    this.#sets = Math.max(1, Math.floor(capacity / ways));
    this.#slots = new Uint32Array(this.#sets * ways * words);
    this.#next = new Uint8Array(this.#sets);
  }

  known(crawlId: number, keys: readonly Uint8Array[]): Promise<readonly boolean[]> {
    return Promise.resolve(keys.map((key) => this.has(crawlId, key)));
  }

  remember(crawlId: number, keys: readonly Uint8Array[]): Promise<void> {
    for (const key of keys) this.add(crawlId, key);
    return Promise.resolve();
  }

  has(crawlId: number, key: Uint8Array): boolean {
    return this.#find(crawlId, key) >= 0;
  }

  add(crawlId: number, key: Uint8Array): void {
    if (this.#find(crawlId, key) >= 0) return;
    const set = this.#home(crawlId, key);
    const way = this.#next[set] ?? 0;
    this.#next[set] = (way + 1) % ways;
    const at = (set * ways + way) * words;
    this.#slots[at] = low(crawlId);
    this.#slots[at + 1] = high(crawlId);
    for (let word = 0; word < 4; word++) this.#slots[at + 2 + word] = wordOf(key, word);
  }

  #find(crawlId: number, key: Uint8Array): number {
    const first = this.#home(crawlId, key) * ways * words;
    const crawlLow = low(crawlId);
    const crawlHigh = high(crawlId);
    for (let at = first; at < first + ways * words; at += words) {
      if (
        this.#slots[at] === crawlLow &&
        this.#slots[at + 1] === crawlHigh &&
        this.#slots[at + 2] === wordOf(key, 0) &&
        this.#slots[at + 3] === wordOf(key, 1) &&
        this.#slots[at + 4] === wordOf(key, 2) &&
        this.#slots[at + 5] === wordOf(key, 3)
      ) {
        return at;
      }
    }
    return -1;
  }

  #home(crawlId: number, key: Uint8Array): number {
    return ((wordOf(key, 0) ^ Math.imul(low(crawlId), 0x9e3779b1)) >>> 0) % this.#sets;
  }
}

const low = (crawlId: number): number => crawlId >>> 0;
/** Crawl ids start at 1, so an empty slot (all zero) belongs to no crawl. */
const high = (crawlId: number): number => Math.floor(crawlId / 2 ** 32);

function wordOf(key: Uint8Array, word: number): number {
  const at = word * 4;
  return (
    (((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0)) >>>
    0
  );
}
