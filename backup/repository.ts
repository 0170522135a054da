/** Where backups are kept: a folder, or a prefix of a bucket of anything that speaks S3. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '../storage/archive/index.ts';
import { syncFolder } from '../storage/exports/index.ts';

export interface Repository {
  /** For people. */
  readonly place: string;
  /** Stores an object. It is whole or not there, and durable once this resolves. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Null: there is no such object. */
  get(name: string): Promise<Buffer | null>;
  /** The names that begin with a folder, such as `parts/`. */
  names(folder: string): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Removes what killed processes began to write before this time. */
  tidy(before: number): Promise<void>;
}

const drafts = 'drafts';

export class FolderRepository implements Repository {
  readonly place: string;

  constructor(root: string) {
    this.place = root;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const file = path.join(this.place, name);
    const draft = path.join(this.place, drafts, randomUUID());
    for (const folder of [path.dirname(draft), path.dirname(file)])
      await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
    // The name too must outlive a loss of power, and those of the folders on the way to it.
    for (let folder = path.dirname(file); ; folder = path.dirname(folder)) {
      await syncFolder(folder);
      if (folder === this.place) break;
    }
  }

  get(name: string): Promise<Buffer | null> {
    return unlessMissing(readFile(path.join(this.place, name)));
  }

  async names(folder: string): Promise<string[]> {
    const found = await unlessMissing(
      readdir(path.join(this.place, folder), { recursive: true, withFileTypes: true }),
    );
    return (found ?? [])
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.relative(this.place, path.join(parentPath, name)))
      .sort();
  }

  async remove(name: string): Promise<void> {
    await rm(path.join(this.place, name), { force: true });
  }

  async tidy(before: number): Promise<void> {
    for (const name of await this.names(drafts)) {
      const found = await unlessMissing(stat(path.join(this.place, name)));
      if (found !== null && found.mtimeMs < before) await this.remove(name);
    }
  }
}

/** Bytes that are read by a call: at the pace at which a whole part may be stored, each has its own patience. */
const readBytes = 4 * 1024 ** 2;
/** Milliseconds before a call is repeated: a store that is away for less costs no backup and no restore. */
const usualWaits = [2_000, 10_000, 30_000];

/** Storing and reading may be repeated, for nothing is ever written twice under one name with other bytes. */
export class BucketRepository implements Repository {
  readonly place: string;
  readonly #objects: Pick<ObjectStore, 'put' | 'size' | 'read' | 'list' | 'remove'>;
  readonly #waits: readonly number[];

  constructor(
    place: string,
    objects: Pick<ObjectStore, 'put' | 'size' | 'read' | 'list' | 'remove'>,
    waits: readonly number[] = usualWaits,
  ) {
    this.place = place;
    this.#objects = objects;
    this.#waits = waits;
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#patiently(() => this.#objects.put(name, bytes));
  }

  async get(name: string): Promise<Buffer | null> {
    const size = await this.#patiently(() => this.#objects.size(name));
    if (size === null) return null;
    const pieces: Buffer[] = [];
    for (let at = 0; at < size; at += readBytes) {
      const length = Math.min(readBytes, size - at);
      const piece = await this.#patiently(() => this.#objects.read(name, at, length));
      if (piece === null) return null;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  async #patiently<T>(call: () => Promise<T>): Promise<T> {
    for (const wait of this.#waits) {
      try {
        return await call();
      } catch {
        // Tried again; what the last try says is told.
        await sleep(wait);
      }
    }
    return call();
  }

  names(folder: string): Promise<string[]> {
    return this.#objects.list(folder);
  }

  remove(name: string): Promise<void> {
    return this.#objects.remove(name);
  }

  /** An object is there once it is whole: nothing is left. */
  tidy(): Promise<void> {
    return Promise.resolve();
  }
}

export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
