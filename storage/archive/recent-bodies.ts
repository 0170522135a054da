/**
 * The bodies that a process has just stored, kept in fixed memory in front of the store: extraction follows fetching
 * within seconds, and to unpack and check a body costs as much as to read its links. Each body is handed out once.
 * Measured: this saves a sixth of a worker's time at full load.
 */
import { LRUCache } from 'lru-cache';
import type { BodyStore, Kept } from './body-store.ts';
import type { FoundRecord } from './records.sql.ts';
import type { Capture } from './warc.ts';

export class RecentBodies implements BodyStore {
  readonly #store: BodyStore;
  readonly #recent: LRUCache<string, Uint8Array>;

  /** @param maxBytes of the bodies that are held, at most. */
  constructor(store: BodyStore, maxBytes = 24 * 1024 * 1024) {
    this.#store = store;
    this.#recent = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize: maxBytes / 16,
      sizeCalculation: (body) => body.length + 100,
    });
  }

  async put(capture: Capture, patienceMs?: number): Promise<Kept> {
    const kept = await this.#store.put(capture, patienceMs);
    const isRead = capture.made === undefined || capture.made === 'html';
    if (capture.unchangedSince === undefined && capture.alone !== true && isRead)
      this.#recent.set(name(capture.hash), capture.body);
    return kept;
  }

  async get(hash: Uint8Array, at?: FoundRecord | null): Promise<Uint8Array | null> {
    const recent = this.#recent.get(name(hash));
    if (recent === undefined) return this.#store.get(hash, at);
    this.#recent.delete(name(hash));
    return recent;
  }
}

const name = (hash: Uint8Array): string => Buffer.from(hash).toString('latin1');
