/**
 * Files as parts. A large file has parts of its own, from its beginning on, so that what has not changed of it makes the
 * same parts as the last time; small ones share parts, since a database has thousands. Bytes that an earlier backup has
 * stored are named and not stored again.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { partBytes, type BackedFile, type Manifest, type Part, type Piece } from './manifest.ts';
import type { Repository } from './repository.ts';

const [compress, decompress] = [promisify(zstdCompress), promisify(zstdDecompress)];
/** Level 1: most bytes are bodies, which are compressed already. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
/** Parts that are stored, or read ahead, at a time: a bucket answers slowly. */
const together = 4;
/** Bytes from which on a file has parts of its own. */
const largeBytes = 1024 ** 2;

export class Packing {
  readonly parts: Part[] = [];
  readonly files: BackedFile[] = [];
  readonly #repository: Repository;
  readonly #id: string;
  /** Parts of backups that are there, by their SHA-256. */
  readonly #known: ReadonlyMap<string, Part>;
  /** What earlier backups have of the files that are only appended to. */
  readonly #before: ReadonlyMap<string, { readonly of: Manifest; readonly file: BackedFile }>;
  readonly #onPart: () => Promise<void>;
  readonly #storing = new Set<Promise<void>>();
  #fault: { readonly error: unknown } | null = null;
  #stored = 0;
  /** The beginning of the next part. */
  #open: Buffer[] = [];
  #openBytes = 0;

  /** @param earlier backups whose parts may be named, the latest last @param onPart awaited before each part */
  constructor(
    repository: Repository,
    id: string,
    earlier: readonly Manifest[],
    onPart: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#onPart = onPart;
    this.#repository = repository;
    this.#id = id;
    this.#known = new Map(earlier.flatMap(({ parts }) => parts.map((part) => [part.sha256, part])));
    this.#before = new Map(earlier.flatMap((of) => of.files.map((file) => [file.path, { of, file }])));
  }

  /** @param bytes about how many there are */
  async add(path: string, source: AsyncIterable<Buffer>, bytes: number): Promise<void> {
    const alone = bytes >= largeBytes;
    if (alone) await this.#close();
    const pieces = await this.#take(source);
    if (alone) await this.#close();
    this.files.push({ path, pieces });
  }

  /**
   * A file to which bytes are only ever added. What earlier backups have of it is not read.
   * @param from the bytes from a place on, up to `bytes`
   * @returns false: the bytes ended before that, since the file went away meanwhile; it is not in the backup
   */
  async addGrowing(
    path: string,
    bytes: number,
    from: (at: number) => AsyncIterable<Buffer>,
  ): Promise<boolean> {
    await this.#close();
    const kept: Piece[] = [];
    let at = 0;
    const before = this.#before.get(path);
    for (const [index, begin, length] of before?.file.pieces ?? []) {
      const part = before?.of.parts[index];
      // The last part of a file that has grown on is stored anew: parts have one size, so that they are found again.
      const isWhole = begin === 0 && (length === partBytes || at + length === bytes);
      if (part === undefined || !isWhole || at + length > bytes) break;
      kept.push([this.parts.push(part) - 1, begin, length]);
      at += length;
    }
    const pieces = at === bytes ? [] : await this.#take(from(at));
    await this.#close();
    if (pieces.reduce((sum, [, , length]) => sum + length, at) !== bytes) return false;
    this.files.push({ path, pieces: [...kept, ...pieces] });
    return true;
  }

  /** Resolves once all is stored. */
  async end(): Promise<void> {
    await this.#close();
    await Promise.all(this.#storing);
    if (this.#fault !== null) throw this.#fault.error;
  }

  async #take(source: AsyncIterable<Buffer>): Promise<Piece[]> {
    const pieces: Piece[] = [];
    for await (let rest of source) {
      while (rest.length > 0) {
        const some = rest.subarray(0, partBytes - this.#openBytes);
        const last = pieces.at(-1);
        const index = this.parts.length;
        if (last?.[0] === index) last[2] += some.length;
        else pieces.push([index, this.#openBytes, some.length]);
        this.#open.push(some);
        this.#openBytes += some.length;
        rest = rest.subarray(some.length);
        if (this.#openBytes === partBytes) await this.#close();
      }
    }
    return pieces;
  }

  async #close(): Promise<void> {
    if (this.#fault !== null) throw this.#fault.error;
    if (this.#openBytes === 0) return;
    await this.#onPart();
    const bytes = Buffer.concat(this.#open);
    [this.#open, this.#openBytes] = [[], 0];
    const sha256 = hash('sha256', bytes);
    const known = this.#known.get(sha256);
    const name = `parts/${this.#id}/${String(this.#stored)}`;
    const index = this.parts.push(known ?? { name, sha256, bytes: bytes.length, stored: 0 }) - 1;
    if (known !== undefined) return;
    this.#stored++;
    const storing = this.#store(index, name, bytes)
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => this.#storing.delete(storing));
    this.#storing.add(storing);
    if (this.#storing.size >= together) await Promise.race(this.#storing);
  }

  async #store(index: number, name: string, bytes: Buffer): Promise<void> {
    const packed = await compress(bytes, { params });
    await this.#repository.put(name, packed);
    const part = this.parts[index];
    if (part !== undefined) this.parts[index] = { ...part, stored: packed.length };
  }
}

/** A part that is not what its backup says. */
export class DamagedPart extends Error {
  constructor(name: string, how: string) {
    super(`${name} ${how}`);
    this.name = 'DamagedPart';
  }
}

/** @throws DamagedPart */
async function readPart(repository: Repository, { name, sha256, bytes, stored }: Part): Promise<Buffer> {
  const packed = await repository.get(name);
  if (packed === null) throw new DamagedPart(name, 'is missing');
  if (packed.length !== stored) throw new DamagedPart(name, 'has another length than it was stored with');
  const found = await decompress(packed, { maxOutputLength: bytes + 1 }).catch(() => null);
  if (found?.length !== bytes || hash('sha256', found) !== sha256)
    throw new DamagedPart(name, 'is damaged: its bytes are not those that were stored');
  return found;
}

/** The files of a backup one after another, each as its bytes in order. @throws DamagedPart at the first that is */
export function* filesOf(
  repository: Repository,
  { files, parts }: Manifest,
): Generator<{ readonly path: string; readonly bytes: AsyncIterable<Buffer> }> {
  const order = files.flatMap(({ pieces }) => pieces.map(([index]) => index));
  const steps = order.filter((index, at) => index !== order[at - 1]);
  const ahead: Promise<Buffer>[] = [];
  let [asked, current] = [0, -1];
  let bytes: Buffer = Buffer.alloc(0);
  const next = async (): Promise<void> => {
    while (asked < steps.length && ahead.length < together) {
      const part = parts[steps[asked++] ?? -1];
      if (part === undefined) throw new DamagedPart('the manifest', 'names a part that it does not have');
      const reading = readPart(repository, part);
      // Whoever comes to it is told.
      reading.catch(() => undefined);
      ahead.push(reading);
    }
    bytes = (await ahead.shift()) ?? Buffer.alloc(0);
  };
  async function* contentOf(pieces: readonly Piece[]): AsyncGenerator<Buffer> {
    for (const [index, at, length] of pieces) {
      if (index !== current) {
        await next();
        current = index;
      }
      if (at + length > bytes.length) throw new DamagedPart('the manifest', 'names bytes that a part lacks');
      yield bytes.subarray(at, at + length);
    }
  }
  for (const { path, pieces } of files) yield { path, bytes: contentOf(pieces) };
}
