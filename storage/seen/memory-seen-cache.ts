/**
 * Level 1: an exact cache of seen keys in fixed memory. Each key belongs to a set of four slots; a new key pushes out
 * the oldest of its set. A slot has 24 bytes: the whole 128-bit key and 63 bits of hash of the crawl's name are compared,
 * so that no new URL is ever called seen.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SeenCache } from './seen-cache.ts';

const ways = 4;
/** 32-bit words of a slot: two of the crawl's mark, and four of the key. */
const words = 6;

export class MemorySeenCache implements SeenCache {
  readonly #slots: Uint32Array;
  readonly #next: Uint8Array;
  readonly #sets: number;
  readonly #marks = new LRUCache<string, Mark>({ max: 1_000 });

  /** @param capacity keys that are held at most; rounded down to a multiple of four. A million keys take 24 MiB. */
  constructor(capacity = 1_000_000) {
    this.#sets = Math.max(1, Math.floor(capacity / ways));
    this.#slots = new Uint32Array(this.#sets * ways * words);
    this.#next = new Uint8Array(this.#sets);
  }

  known(crawl: string, keys: readonly Uint8Array[]): Promise<readonly boolean[]> {
    return Promise.resolve(keys.map((key) => this.has(crawl, key)));
  }

  remember(crawl: string, keys: readonly Uint8Array[]): Promise<void> {
    for (const key of keys) this.add(crawl, key);
    return Promise.resolve();
  }

  has(crawl: string, key: Uint8Array): boolean {
    return this.#find(crawl, key) >= 0;
  }

  add(crawl: string, key: Uint8Array): void {
    if (this.#find(crawl, key) >= 0) return;
    const set = this.#home(this.#markOf(crawl), key);
    const way = this.#next[set] ?? 0;
    this.#next[set] = (way + 1) % ways;
    const at = (set * ways + way) * words;
    const mark = this.#markOf(crawl);
    this.#slots[at] = mark.low;
    this.#slots[at + 1] = mark.high;
    for (let word = 0; word < 4; word++) this.#slots[at + 2 + word] = wordOf(key, word);
  }

  #find(crawl: string, key: Uint8Array): number {
    const mark = this.#markOf(crawl);
    const first = this.#home(mark, key) * ways * words;
    for (let at = first; at < first + ways * words; at += words) {
      if (
        this.#slots[at] === mark.low &&
        this.#slots[at + 1] === mark.high &&
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

  #home({ low }: Mark, key: Uint8Array): number {
    return ((wordOf(key, 0) ^ low) >>> 0) % this.#sets;
  }

  #markOf(crawl: string): Mark {
    const known = this.#marks.get(crawl);
    if (known !== undefined) return known;
    const hash = createHash('sha256').update(crawl).digest();
    // An empty slot (all zero) belongs to no crawl.
    const mark = { low: (hash.readUInt32BE(0) | 1) >>> 0, high: hash.readUInt32BE(4) };
    this.#marks.set(crawl, mark);
    return mark;
  }
}

/** Stands for a crawl. */
interface Mark {
  readonly low: number;
  readonly high: number;
}

function wordOf(key: Uint8Array, word: number): number {
  const at = word * 4;
  return (
    (((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0)) >>>
    0
  );
}
