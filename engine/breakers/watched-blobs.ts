/** A blob store that a breaker stands in front of. */
import type { BlobStore } from '../../storage/blobs/blob-store.ts';
import type { Breaker } from './breaker.ts';

/** errno of a file system that is full, over quota, read-only, failing, closed to us, or of a process out of handles. */
const diskTroubles: ReadonlySet<string> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ESTALE'],
]);

export const isDiskTrouble = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && diskTroubles.has(error.code);

/** What a probe writes at least. */
const leastProbeBytes = 64 * 1024;

export class WatchedBlobs implements BlobStore {
  readonly #store: BlobStore;
  readonly #breaker: Breaker;
  readonly #wanted: WantedBytes;

  constructor(store: BlobStore, breaker: Breaker, wanted: WantedBytes) {
    this.#store = store;
    this.#breaker = breaker;
    this.#wanted = wanted;
  }

  async put(hash: Uint8Array, body: Uint8Array): Promise<void> {
    await this.#breaker.run(async () => {
      try {
        await this.#store.put(hash, body);
      } catch (error) {
        if (isDiskTrouble(error)) this.#wanted.refused(body.length);
        throw error;
      }
    });
  }

  get(hash: Uint8Array): Promise<Uint8Array | null> {
    return this.#breaker.run(() => this.#store.get(hash));
  }

  has(hash: Uint8Array): Promise<boolean> {
    return this.#breaker.run(() => this.#store.has(hash));
  }
}

/**
 * How much a probe has to write: as much as the largest body that was refused. One that passes where bodies do not
 * would have their pages fetched again and again, to be thrown away each time.
 */
export class WantedBytes {
  #bytes = leastProbeBytes;

  refused(bytes: number): void {
    this.#bytes = Math.max(this.#bytes, bytes);
  }

  /** Runs a probe with that many bytes; once it has passed they are no longer wanted. */
  async probe(write: (bytes: number) => Promise<void>): Promise<void> {
    const bytes = this.#bytes;
    await write(bytes);
    if (this.#bytes === bytes) this.#bytes = leastProbeBytes;
  }
}
