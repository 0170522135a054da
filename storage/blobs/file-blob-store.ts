/**
 * Blobs as zstd files, `ab/<hash>.zst`. A blob is written under a temporary name and then renamed, so that readers see
 * a whole file or none, also after a crash. A loss of power may still tear a file; a reader finds a torn file by its
 * hash. Files are read, and small ones written, by synchronous calls: measured, these cost a tenth of four trips
 * through the thread pool.
 */
import { hash as digest, randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, readFile, rename, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { BlobStore } from './blob-store.ts';

/** Level 1: 6 % larger than level 3 on HTML, in two thirds of the time (measured). */
const level = { [constants.ZSTD_c_compressionLevel]: 1 };
/**
 * A page is mostly so many times larger than its file. A page that fits into one piece takes half the time to unpack
 * (measured).
 */
const usualRatio = 4;
const smallestPiece = 16 * 1024;
/** Only the user of the stack may read bodies. */
const folderMode = { recursive: true, mode: 0o700 } as const;
const fileMode = { mode: 0o600 } as const;
/** Bodies up to this are written by synchronous calls. */
const smallBytes = 256 * 1024;

export interface FileBlobStoreOptions {
  readonly folder: string;
  /** Bytes that a blob may have once it is decompressed. A larger blob counts as torn. */
  readonly maxBytes: number;
}

export class FileBlobStore implements BlobStore {
  readonly #options: FileBlobStoreOptions;
  readonly #folders = new Set<string>();
  /** No other process uses these temporary names, on any machine and after any restart. */
  readonly #name = randomUUID();
  #written = 0;

  constructor(options: FileBlobStoreOptions) {
    this.#options = options;
    mkdirSync(options.folder, folderMode);
    // A folder of an earlier version may be open to others. Closing its root closes everything below.
    const { mode, uid } = statSync(options.folder);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(options.folder, folderMode.mode);
  }

  async put(hash: Uint8Array, body: Uint8Array): Promise<void> {
    const file = this.#file(hash);
    // The file's time is renewed, so that a process that finds the blob unused does not remove it now.
    if (touch(file)) return;
    this.#ensureFolder(dirname(file));
    // If zstd knows the size, it takes tables of that size: a third less time for a page (measured).
    const packed = zstdCompressSync(body, { params: level, pledgedSrcSize: body.length });
    const temporary = this.#temporaryName(file);
    if (packed.length <= smallBytes) this.#putSmall(temporary, file, packed);
    else await this.#putLarge(temporary, file, packed);
  }

  async get(hash: Uint8Array): Promise<Uint8Array | null> {
    const file = this.#file(hash);
    let packed: Uint8Array;
    try {
      packed = readFileSync(file);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    const body = unpack(packed, this.#options.maxBytes);
    if (body !== null && digest('sha256', body, 'buffer').equals(hash)) return body;
    await unlink(file).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    return null;
  }

  has(hash: Uint8Array): Promise<boolean> {
    return Promise.resolve(existsSync(this.#file(hash)));
  }

  /** Bytes that this process may still write to the disk of the folder. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#options.folder);
    return bavail * bsize;
  }

  /**
   * Removes a blob. Answers false, and removes nothing, if a process has put the blob within so many milliseconds. A
   * process that puts the blob at the same time either finds the blob and touches it before it is moved aside, or finds
   * none and stores it anew.
   */
  async remove(hash: Uint8Array, untouchedMs: number): Promise<boolean> {
    const file = this.#file(hash);
    const aside = this.#temporaryName(file);
    try {
      if (await isFresh(file, untouchedMs)) return false;
      await rename(file, aside);
      if (await isFresh(aside, untouchedMs)) {
        await rename(aside, file);
        return false;
      }
      await unlink(aside);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    return true;
  }

  /** Writes so many bytes, reads and removes them. Rejects with the file system's error if that fails. */
  async probe(bytes: number): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, folderMode);
    const file = this.#temporaryName(join(folder, 'probe'));
    const written = randomBytes(bytes);
    try {
      await writeFile(file, written, fileMode);
      if (!written.equals(await readFile(file)))
        throw new Error(`a file in ${folder} did not read back as it was written`);
    } finally {
      await unlink(file).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    }
  }

  /**
   * The temporary file lies beside its final place, since a rename does not cross file systems; see
   * sweep-temporaries.ts.
   */
  #temporaryName(file: string): string {
    return `${file}.${this.#name}-${String(this.#written++)}.tmp`;
  }

  #file(hash: Uint8Array): string {
    const hex = Buffer.from(hash).toString('hex');
    return join(this.#options.folder, hex.slice(0, 2), `${hex}.zst`);
  }

  #ensureFolder(folder: string): void {
    if (this.#folders.has(folder)) return;
    mkdirSync(folder, folderMode);
    this.#folders.add(folder);
  }

  async #putLarge(temporary: string, file: string, packed: Uint8Array): Promise<void> {
    try {
      await writeFile(temporary, packed, fileMode);
      await rename(temporary, file);
    } catch (error) {
      this.#folders.clear();
      await unlink(temporary).catch((cleanUpError: unknown) => {
        if (!isMissing(cleanUpError))
          throw new AggregateError([error, cleanUpError], 'a blob could not be written or cleaned up');
      });
      throw error;
    }
  }

  #putSmall(temporary: string, file: string, packed: Uint8Array): void {
    try {
      writeFileSync(temporary, packed, fileMode);
      renameSync(temporary, file);
    } catch (error) {
      this.#folders.clear();
      try {
        unlinkSync(temporary);
      } catch (cleanUpError) {
        if (!isMissing(cleanUpError))
          throw new AggregateError([error, cleanUpError], 'a blob could not be written or cleaned up');
      }
      throw error;
    }
  }
}

function touch(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

const isFresh = async (file: string, ms: number): Promise<boolean> =>
  Date.now() - (await stat(file)).mtimeMs < ms;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Null: the bytes are not zstd, are cut short, or are larger than any blob of ours. */
function unpack(packed: Uint8Array, maxBytes: number): Buffer | null {
  try {
    const chunkSize = Math.max(smallestPiece, Math.min(packed.length * usualRatio, maxBytes));
    return zstdDecompressSync(packed, { maxOutputLength: maxBytes, chunkSize });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
