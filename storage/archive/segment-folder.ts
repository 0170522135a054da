/**
 * Segments as files of one folder. Files are read, and written to, by synchronous calls: measured, these cost a tenth of
 * trips through the thread pool. Only the sync to the disk takes such a trip.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  unlinkSync,
  writeSync,
  writevSync,
} from 'node:fs';
import { mkdir, open, stat, statfs, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SegmentStore, SegmentWriter } from './segment-store.ts';

/** Only the user of the stack may read bodies. */
const folderMode = { recursive: true, mode: 0o700 } as const;
const fileMode = 0o600;
const sync = promisify(fdatasync);
/** Holds the id of the folder, by which processes know whether they have the same one, on whichever machines. */
const idFile = 'folder-id';

export class SegmentFolder implements SegmentStore {
  readonly settles = false;
  readonly #folder: string;
  #id: string | null = null;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, folderMode);
    const { mode, uid } = statSync(folder);
    if ((mode & 0o077) !== 0 && uid === process.getuid?.()) chmodSync(folder, folderMode.mode);
  }

  get folder(): string {
    return (this.#id ??= folderId(this.#folder));
  }

  async create(name: string): Promise<SegmentWriter> {
    await mkdir(this.#folder, folderMode);
    // Writes go to the end as it is then: a process that was frozen while its segment was cut leaves no gap.
    const fd = openSync(this.#file(name), 'ax', fileMode);
    try {
      const folder = await open(this.#folder);
      try {
        await folder.sync();
      } finally {
        await folder.close();
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    return new FileWriter(fd);
  }

  read(name: string, at: number, length: number): Promise<Buffer | null> {
    return Promise.resolve().then(() => readRange(this.#file(name), at, length));
  }

  async cut(name: string, length: number): Promise<void> {
    try {
      const file = await open(this.#file(name), 'r+');
      try {
        if ((await file.stat()).size > length) await file.truncate(length);
      } finally {
        await file.close();
      }
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  async remove(name: string): Promise<void> {
    const file = this.#file(name);
    try {
      // Somebody may hold the file open: its bytes are given back all the same.
      await truncate(file, 0);
      await unlink(file);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  settle(): Promise<boolean> {
    return Promise.resolve(true);
  }

  tidy(): Promise<void> {
    return Promise.resolve();
  }

  /** Bytes of a segment; null: it is not here. */
  async size(name: string): Promise<number | null> {
    try {
      return (await stat(this.#file(name))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Forgets a segment that others have whole, if it is there. Whoever reads from it just now reads on. */
  async letGo(name: string): Promise<void> {
    try {
      await unlink(this.#file(name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Bytes that this process may still write to the disk of the folder. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#folder);
    return bavail * bsize;
  }

  /** Writes so many bytes and reads them. Rejects with the file system's error if that fails. */
  async probe(bytes: number): Promise<void> {
    await mkdir(this.#folder, folderMode);
    const name = this.#file(`probe.${randomBytes(8).toString('hex')}.tmp`);
    const file = await open(name, 'wx+', fileMode);
    try {
      // A file without a name is gone with its process, however that ends.
      await unlink(name);
      const written = randomBytes(bytes);
      await file.writeFile(written);
      const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
      if (!written.equals(buffer))
        throw new Error(`a file in ${this.#folder} did not read back as it was written`);
    } finally {
      await file.close();
    }
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }
}

class FileWriter implements SegmentWriter {
  readonly #fd: number;
  #length = 0;
  #broken = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  get length(): number {
    return this.#length;
  }

  get broken(): boolean {
    return this.#broken;
  }

  async append(parts: readonly Uint8Array[]): Promise<void> {
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    try {
      writeAll(this.#fd, parts, bytes);
    } catch (error) {
      this.#takeBack();
      throw error;
    }
    try {
      await sync(this.#fd);
    } catch (error) {
      // Which bytes reached the disk is not known any more, those of earlier appends included.
      this.#broken = true;
      throw error;
    }
    this.#length += bytes;
  }

  close(): Promise<void> {
    closeSync(this.#fd);
    return Promise.resolve();
  }

  #takeBack(): void {
    try {
      ftruncateSync(this.#fd, this.#length);
    } catch {
      this.#broken = true;
    }
  }
}

/** The id of a folder; it gets one if it has none. */
function folderId(folder: string): string {
  const file = join(folder, idFile);
  const known = (): string | null => {
    try {
      return readFileSync(file, 'latin1');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
  const id = known();
  if (id !== null) return id;
  mkdirSync(folder, folderMode);
  const draft = join(folder, `${idFile}.${randomUUID()}.tmp`);
  try {
    const fd = openSync(draft, 'wx', fileMode);
    try {
      writeSync(fd, randomUUID());
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    // Of several processes that start at once, one gives the id, and it is whole from the first.
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  return known() ?? '';
}

/** A disk that becomes full takes a part of a write, and refuses the next. */
function writeAll(fd: number, parts: readonly Uint8Array[], bytes: number): void {
  const written = writevSync(fd, parts);
  if (written === bytes) return;
  let rest = Buffer.concat(parts).subarray(written);
  while (rest.length > 0) rest = rest.subarray(writevSync(fd, [rest]));
}

function readRange(file: string, at: number, length: number): Buffer | null {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const more = readSync(fd, bytes, read, length - read, at + read);
      if (more === 0) return null;
      read += more;
    }
    return bytes;
  } finally {
    closeSync(fd);
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
