/** A blob store behind a breaker. */
import type { BodyStore, Capture, FoundRecord, Kept } from '../../storage/archive/index.ts';
import type { Breaker } from './breaker.ts';

/** errno of a file system that is full, over quota, read-only, failing or not ours, and of a process out of handles. */
const diskTroubles: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  'ESTALE',
]);

export const isDiskTrouble = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && diskTroubles.has(error.code);

/** Fewest bytes that a probe writes. */
export const leastProbeBytes = 64 * 1024;

export class WatchedBlobs implements BodyStore {
  readonly #store: BodyStore;
  readonly #breaker: Breaker;
  readonly #wanted: WantedBytes;

  constructor(store: BodyStore, breaker: Breaker, wanted: WantedBytes) {
    this.#store = store;
    this.#breaker = breaker;
    this.#wanted = wanted;
  }

  put(capture: Capture, patienceMs?: number): Promise<Kept> {
    return this.#breaker.run(async () => {
      try {
        return await this.#store.put(capture, patienceMs);
      } catch (error) {
        if (isDiskTrouble(error)) this.#wanted.refused(capture.body.length);
        throw error;
      }
    });
  }

  get(hash: Uint8Array, at?: FoundRecord | null): Promise<Uint8Array | null> {
    return this.#breaker.run(() => this.#store.get(hash, at));
  }
}

/**
 * How many bytes a probe must write: as many as the largest body that was refused. If a smaller probe passed while
 * bodies fail, their pages would be fetched again and again, and thrown away each time.
 */
export class WantedBytes {
  #bytes = leastProbeBytes;

  refused(bytes: number): void {
    this.#bytes = Math.max(this.#bytes, bytes);
  }

  /** Runs a probe with that many bytes. After it passes, the next probe writes the fewest bytes again. */
  async probe(write: (bytes: number) => Promise<void>): Promise<void> {
    const bytes = this.#bytes;
    await write(bytes);
    if (this.#bytes === bytes) this.#bytes = leastProbeBytes;
  }
}
