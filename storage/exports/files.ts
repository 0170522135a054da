/** The folder of exports, and the bucket to which some exports go. A whole file is read from where it is. */
import { createReadStream } from 'node:fs';
import { readdir, rm, stat, statfs, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ObjectStore } from '../archive/index.ts';
import { unlessGone } from './draft.ts';
import type { ExportRow } from './jobs.sql.ts';

/** A job, as far as it says where its files are. */
type Where = Pick<ExportRow, 'detail' | 'progress'>;

/** Bytes of one read from the bucket. */
const pieceBytes = 4 * 1024 * 1024;

export const hasNoRoom = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');

export class ExportFiles {
  readonly #root: string;
  /** Null: there is no bucket. */
  readonly bucket: ObjectStore | null;

  constructor(root: string, bucket: ObjectStore | null) {
    this.#root = root;
    this.bucket = bucket;
  }

  /** Where a draft of the job has its parts. */
  draftOf({ detail }: Pick<ExportRow, 'detail'>, draft: string): string {
    return path.join(this.#root, detail.folder, draft);
  }

  /** Bytes of the whole file in the folder; null: it is not there. */
  async size(job: Where, name: string): Promise<number | null> {
    const { draft } = job.progress;
    if (draft === null) return null;
    const there = await unlessGone(stat(path.join(this.draftOf(job, draft), name)));
    return there?.size ?? null;
  }

  /** The bytes of the whole file from one place up to another, in pieces. */
  async *read(job: Where, name: string, from: number, to: number): AsyncGenerator<Buffer> {
    const { draft } = job.progress;
    if (draft === null || from >= to) return;
    const file = path.join(this.draftOf(job, draft), name);
    yield* createReadStream(file, { start: from, end: to - 1 }) as AsyncIterable<Buffer>;
  }

  /** As `read`, from the bucket. @throws where the object is gone */
  async *readObject(bucket: ObjectStore, object: string, from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to;) {
      const bytes = await bucket.read(object, at, Math.min(pieceBytes, to - at));
      if (bytes === null) throw new Error(`the bucket has no object ${object} any more`);
      yield bytes;
      at += bytes.length;
    }
  }

  /** Removes all drafts of a job but one. @param but null: remove all there is of the job */
  async clear({ detail }: Pick<ExportRow, 'detail'>, but: string | null): Promise<void> {
    const here = path.join(this.#root, detail.folder);
    if (but === null) return rm(here, { recursive: true, force: true });
    for (const draft of await readdir(here))
      if (draft !== but) await rm(path.join(here, draft), { recursive: true, force: true });
  }

  /** Bytes that may still be written to the disk of the folder. */
  async freeBytes(): Promise<number> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(this.#root);
    return bavail * bsize;
  }
}
