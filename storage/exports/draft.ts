/**
 * The parts of a file in the making, each only appended to, but for places that are written over. What counts is what
 * was synced and then noted in Postgres: whoever goes on with a draft cuts off the rest. So a killed process leaves no
 * byte that is in the file twice, or not at all.
 */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Bytes of a part, by its name. */
export type Lengths = Readonly<Record<string, number>>;

/** What a draft should have is not there, or is shorter than it was. */
export class DraftLost extends Error {
  constructor(part: string) {
    super(`the part ${part} of the export is gone from the folder of exports, or was cut`);
    this.name = 'DraftLost';
  }
}

/** Null: there is no such file. Other faults of the disk say nothing of it, and may pass. */
export async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Bytes that are gathered for one write, and that one read takes. */
const pieceBytes = 1024 * 1024;
const fileMode = 0o600;
const folderMode = { recursive: true, mode: 0o700 } as const;

interface Part {
  readonly file: FileHandle;
  /** Bytes, those that wait to be written included. */
  length: number;
  waiting: Uint8Array[];
  waitingBytes: number;
  changed: boolean;
}

export class Draft {
  readonly #folder: string;
  readonly #signal: AbortSignal;
  readonly #parts = new Map<string, Part>();

  private constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.#signal = signal;
  }

  /**
   * Opens a draft as it was noted; other files in its folder go.
   * @param signal once it aborts, every call rejects
   * @throws DraftLost
   */
  static async open(folder: string, lengths: Lengths, signal: AbortSignal): Promise<Draft> {
    await mkdir(folder, folderMode);
    for (const name of await readdir(folder))
      if (lengths[name] === undefined) await rm(path.join(folder, name), { recursive: true, force: true });
    const draft = new Draft(folder, signal);
    try {
      for (const [name, length] of Object.entries(lengths)) await draft.#reopen(name, length);
    } catch (error) {
      await draft.close();
      throw error;
    }
    return draft;
  }

  /**
   * Copies the parts of a draft that another process may still be writing to: what that process writes from now on is in
   * no file that counts. Costs no bytes where the file system shares them.
   */
  static async copy(from: string, to: string, lengths: Lengths): Promise<void> {
    await mkdir(to, folderMode);
    for (const [name, length] of Object.entries(lengths)) {
      const source = path.join(from, name);
      const there = await unlessGone(stat(source));
      if (there === null || there.size < length) throw new DraftLost(name);
      await copyFile(source, path.join(to, name), constants.COPYFILE_FICLONE);
    }
  }

  /** 0: nothing was appended yet. */
  length(name: string): number {
    return this.#parts.get(name)?.length ?? 0;
  }

  async append(name: string, bytes: Uint8Array | string): Promise<void> {
    this.#signal.throwIfAborted();
    const part = this.#parts.get(name) ?? (await this.#add(name));
    const chunk = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    part.length += chunk.length;
    part.waiting.push(chunk);
    part.waitingBytes += chunk.length;
    if (part.waitingBytes >= pieceBytes) await flush(part);
  }

  /** Writes over bytes that were appended before. */
  async overwrite(name: string, at: number, bytes: Uint8Array): Promise<void> {
    const part = this.#part(name);
    await flush(part);
    await writeWhole(part.file, bytes, at);
    part.changed = true;
  }

  /** The bytes from one place up to another, in pieces of so many bytes at most. */
  async *read(name: string, from = 0, to = this.length(name), piece = pieceBytes): AsyncGenerator<Buffer> {
    if (from >= to) return;
    const part = this.#part(name);
    await flush(part);
    for (let at = from; at < to;) {
      this.#signal.throwIfAborted();
      const length = Math.min(piece, to - at);
      const { bytesRead, buffer } = await part.file.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new DraftLost(name);
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  /** Answers what may be noted: those bytes are on the disk. */
  async sync(): Promise<Lengths> {
    for (const part of this.#parts.values()) {
      await flush(part);
      if (part.changed) await part.file.datasync();
      part.changed = false;
    }
    await syncFolder(this.#folder);
    return Object.fromEntries([...this.#parts].map(([name, { length }]) => [name, length]));
  }

  /** Bytes of all parts. */
  get bytes(): number {
    return [...this.#parts.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Gives a part its last name, by which it is whole; the other parts go. */
  async finish(part: string, name: string): Promise<void> {
    await this.sync();
    await this.close();
    await rename(path.join(this.#folder, part), path.join(this.#folder, name));
    await syncFolder(this.#folder);
    for (const other of await readdir(this.#folder))
      if (other !== name) await rm(path.join(this.#folder, other), { force: true });
  }

  async close(): Promise<void> {
    const parts = [...this.#parts.values()];
    this.#parts.clear();
    await Promise.all(parts.map(({ file }) => file.close()));
  }

  #part(name: string): Part {
    const part = this.#parts.get(name);
    if (part === undefined) throw new DraftLost(name);
    return part;
  }

  async #add(name: string): Promise<Part> {
    return this.#keep(name, await open(path.join(this.#folder, name), 'wx+', fileMode), 0);
  }

  async #reopen(name: string, length: number): Promise<void> {
    const file = await unlessGone(open(path.join(this.#folder, name), 'r+'));
    if (file === null) throw new DraftLost(name);
    this.#keep(name, file, length);
    const { size } = await file.stat();
    if (size < length) throw new DraftLost(name);
    if (size > length) await file.truncate(length);
  }

  #keep(name: string, file: FileHandle, length: number): Part {
    const part: Part = { file, length, waiting: [], waitingBytes: 0, changed: false };
    this.#parts.set(name, part);
    return part;
  }
}

async function flush(part: Part): Promise<void> {
  if (part.waitingBytes === 0) return;
  const bytes = part.waiting.length === 1 ? part.waiting[0] : Buffer.concat(part.waiting);
  const at = part.length - part.waitingBytes;
  part.waiting = [];
  part.waitingBytes = 0;
  part.changed = true;
  if (bytes !== undefined) await writeWhole(part.file, bytes, at);
}

/** A disk that becomes full takes a part of a write, and refuses the next. */
async function writeWhole(file: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/** The names in a folder outlive a loss of power from then on. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
