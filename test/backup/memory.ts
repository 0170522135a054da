/** A repository in memory that may be cut off, as by a kill, after so many writes. */
import type { Repository } from '../../backup/repository.ts';
import { newId, type Manifest } from '../../backup/manifest.ts';

export class Killed extends Error {}

export class MemoryRepository implements Repository {
  readonly place = 'memory';
  readonly objects = new Map<string, Buffer>();
  /** Writes and removals that still come through. */
  left = Infinity;

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#step(() => {
      // Nothing is written twice under one name: whoever reads meanwhile would see one or the other.
      if (this.objects.has(name)) throw new Error(`${name} is there already`);
      this.objects.set(name, Buffer.from(bytes));
    });
  }

  get(name: string): Promise<Buffer | null> {
    return Promise.resolve(this.objects.get(name) ?? null);
  }

  names(folder: string): Promise<string[]> {
    return Promise.resolve([...this.objects.keys()].filter((name) => name.startsWith(folder)).sort());
  }

  remove(name: string): Promise<void> {
    return this.#step(() => this.objects.delete(name));
  }

  tidy(): Promise<void> {
    return Promise.resolve();
  }

  #step(work: () => unknown): Promise<void> {
    if (this.left-- <= 0) return Promise.reject(new Killed());
    return Promise.resolve(work()).then(() => undefined);
  }
}

/** A whole backup with nothing in it, but for what is said. */
export const backupOf = (over: Partial<Manifest> = {}): Manifest => ({
  ...{ format: 1, id: newId(new Date()), version: '0', instance: '', moment: '2026-01-01T00:00:00.000Z' },
  ...{ seconds: 0, hasTemporal: false, segments: { copied: 0, elsewhere: 0, missing: [] }, keyPrint: null },
  ...{ settings: {}, folders: [], parts: [], files: [] },
  ...over,
});
