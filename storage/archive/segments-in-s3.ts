/**
 * Segments in S3. A segment begins in a folder, since nothing can be appended to an object. When it is closed it is
 * uploaded, looked at, and let go of by the folder. Readers take what the folder has, and the rest from S3.
 */
import type { S3Objects } from './s3-objects.ts';
import type { SegmentFolder } from './segment-folder.ts';
import type { SegmentStore, SegmentWriter } from './segment-store.ts';

/** Bytes at the end of a segment that are read again before the folder lets go of it. */
const tailBytes = 64 * 1024;

export class SegmentsInS3 implements SegmentStore {
  readonly settles = true;
  readonly #here: SegmentFolder;
  readonly #objects: S3Objects;

  constructor(here: SegmentFolder, objects: S3Objects) {
    this.#here = here;
    this.#objects = objects;
  }

  get folder(): string {
    return this.#here.folder;
  }

  create(name: string): Promise<SegmentWriter> {
    return this.#here.create(name);
  }

  async read(name: string, at: number, length: number): Promise<Buffer | null> {
    return (await this.#here.read(name, at, length)) ?? this.#objects.read(name, at, length);
  }

  /** Of a segment that is still in the folder: what S3 has was cut before. */
  cut(name: string, length: number): Promise<void> {
    return this.#here.cut(name, length);
  }

  async remove(name: string): Promise<void> {
    await this.#objects.remove(name);
    await this.#here.remove(name);
  }

  async settle(name: string, length: number, goesOn: () => Promise<boolean>): Promise<boolean> {
    const here = await this.#here.size(name);
    // Uploaded before whoever did it was killed; or lost, which readers find.
    if (here === null) return true;
    // A damaged file may have lost its end: what is left of it is worth keeping.
    const bytes = Math.min(length, here);
    if (bytes > 0 && !(await this.#bring(name, bytes, goesOn))) return false;
    await this.#here.letGo(name);
    return true;
  }

  tidy(before: Date): Promise<void> {
    return this.#objects.abortBefore(before);
  }

  freeBytes(): Promise<number> {
    return this.#here.freeBytes();
  }

  async probe(bytes: number): Promise<void> {
    await this.#here.probe(bytes);
    await this.#objects.read('probe', 0, 1);
  }

  async #bring(name: string, bytes: number, goesOn: () => Promise<boolean>): Promise<boolean> {
    if ((await this.#objects.size(name)) !== bytes) {
      const part = (at: number, length: number): Promise<Buffer> => this.#part(name, at, length);
      if (!(await this.#objects.upload(name, bytes, part, goesOn))) return false;
    }
    await this.#expectThere(name, bytes);
    return true;
  }

  async #part(name: string, at: number, length: number): Promise<Buffer> {
    const bytes = await this.#here.read(name, at, length);
    if (bytes === null) throw new Error(`segment ${name} became shorter while it was uploaded`);
    return bytes;
  }

  /** Each part was uploaded with its checksum. What is asked here is whether readers get at the whole. */
  async #expectThere(name: string, bytes: number): Promise<void> {
    const tail = Math.min(bytes, tailBytes);
    const [size, there, here] = await Promise.all([
      this.#objects.size(name),
      this.#objects.read(name, bytes - tail, tail),
      this.#here.read(name, bytes - tail, tail),
    ]);
    if (size !== bytes || there === null || here === null || !there.equals(here))
      throw new Error(`segment ${name} did not read back from S3 as it was uploaded`);
  }
}
