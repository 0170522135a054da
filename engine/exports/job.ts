/**
 * A job makes the file of an export, step by step. A step appends some pages to the draft and syncs the draft. Then it
 * notes how far the job has come: the place in the feed, the bytes of each part, and what the format remembers. After a
 * kill at any instruction the next owner of the job cuts off what was not noted, and goes on from there. The owner
 * before may only be frozen, so the next one works on a copy of the draft, which the other cannot touch.
 *
 *     pages ──(end of the feed)──> whole ──(the file has its name)──> [bucket] ──> finished
 */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { exportFiles } from '../../contracts/http/exports.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { counted } from '../../domain/counted.ts';
import {
  Draft,
  DraftLost,
  exportRows,
  exportsInUse,
  hasNoRoom,
  noteCleared,
  type ExportFiles,
  type ExportRow,
} from '../../storage/exports/index.ts';
import { readPages } from '../../storage/pages/index.ts';
import type { Job } from '../jobs/job.ts';
import { keptJobs, Lost, Unmakable, type Held, type Step, type Steps } from '../jobs/kept.ts';
import { exportForms } from './forms.ts';
import { whole, type ExportForm, type ExportSources, type Making } from './form.ts';

export interface ExportTools extends ExportSources {
  readonly files: ExportFiles;
  /** Bytes that all exports in the folder may have together. */
  readonly mostBytes: number;
}

/** Bytes of the disk that exports leave for the crawls. */
const leftFree = 256 * 1024 ** 2;
/** Characters of pages that are held for one step. */
const stepCharacters = 16 * 1024 ** 2;
const mostOfAnswer = 1_000;
const noRoom = 'the disk of the folder of exports is full';

type Named = Pick<ExportRow, 'id' | 'crawl_id' | 'detail'>;

export const fileName = ({ id, crawl_id: crawlId, detail }: Named): string =>
  `crawl-${crawlId}-export-${id}.${exportFiles[detail.format].ending}`;

export const objectName = (job: Named): string => `exports/${job.detail.folder}/${fileName(job)}`;

export const exportJobs = (tools: ExportTools): Job =>
  keptJobs(tools.pool, exportRows, (held) => new ExportSteps(tools, held));

class ExportSteps implements Steps<ExportRow> {
  readonly #tools: ExportTools;
  readonly #held: Held<ExportRow>;
  readonly #form: ExportForm;
  readonly #name: string;
  #draft: Draft | null = null;

  constructor(tools: ExportTools, held: Held<ExportRow>) {
    this.#tools = tools;
    this.#held = held;
    this.#form = exportForms[held.job.detail.format];
    this.#name = fileName(held.job);
  }

  /** Its faults are ours or those of a page, not those of a bucket that is away. */
  mayFail({ progress: { phase } }: ExportRow): boolean {
    return phase !== 'bucket';
  }

  async step(job: ExportRow): Promise<Step<ExportRow>> {
    try {
      return await this.#phases[job.progress.phase](job);
    } catch (error) {
      if (hasNoRoom(error)) throw new Unmakable(noRoom);
      throw error instanceof DraftLost ? new Unmakable(error.message) : error;
    }
  }

  tell({ state, progress: { phase, pages, bytes } }: ExportRow) {
    if (state === 'finished') return { view: null, words: 'The file is whole.' };
    const words = `${counted(pages, 'page')} read, ${counted(bytes, 'byte')} written`;
    return { view: { phase, pages, bytes }, words };
  }

  /** If it has given up because there was no room, it gives its own back. */
  async ended(job: ExportRow): Promise<void> {
    const stays = job.state === 'finished' && job.detail.target === 'folder';
    await this.#tools.files.clear(job, stays ? job.progress.draft : null);
    if (job.state === 'failed') await noteCleared(this.#tools.pool, job.id);
  }

  async close(): Promise<void> {
    await this.#draft?.close();
  }

  readonly #phases = {
    pages: async (job: ExportRow): Promise<Step<ExportRow>> => {
      const draft = await this.#open(job);
      await this.#expectRoom();
      const { pages, counting, cursor, over } = await this.#read(job);
      const making = this.#making(job, draft);
      const memory = pages.length === 0 ? making.memory : await this.#form.add(making, pages);
      const parts = await draft.sync();
      return {
        place: { cursor, parts, memory },
        progress: {
          phase: over ? 'whole' : 'pages',
          bytes: draft.bytes,
          pages: job.progress.pages + counting,
        },
        rest: 'more',
      };
    },
    whole: async (job: ExportRow): Promise<Step<ExportRow>> => {
      const bytes = await this.#tools.files.size(job, this.#name);
      if (bytes !== null)
        return job.detail.target === 'bucket'
          ? { progress: { phase: 'bucket', bytes }, rest: 'more' }
          : { place: null, progress: { bytes }, rest: 'over' };
      const draft = await this.#open(job);
      await this.#expectRoom();
      await this.#form.end(this.#making(job, draft));
      await draft.finish(whole, this.#name);
      this.#draft = null;
      return { rest: 'more' };
    },
    bucket: async (job: ExportRow): Promise<Step<ExportRow>> => {
      const bytes = await this.#tools.files.size(job, this.#name);
      if (bytes === null) throw new DraftLost(this.#name);
      await this.#upload(job, bytes);
      return { place: null, rest: 'over' };
    },
  };

  async #open(job: ExportRow): Promise<Draft> {
    if (this.#draft !== null) return this.#draft;
    const { files } = this.#tools;
    const { signal } = this.#held;
    const { draft } = job.progress;
    const parts = job.place?.parts ?? {};
    if (draft !== null && !this.#held.isTakenOver)
      return (this.#draft = await Draft.open(files.draftOf(job, draft), parts, signal));
    const own = randomUUID();
    if (draft !== null) await Draft.copy(files.draftOf(job, draft), files.draftOf(job, own), parts);
    this.#draft = await Draft.open(files.draftOf(job, own), parts, signal);
    await this.#held.note({ progress: { draft: own } });
    await files.clear(job, own);
    return this.#draft;
  }

  /** The pages of one step, other answers among them if the form has these, how many are pages, and the place behind them. */
  async #read(job: ExportRow) {
    const { filter } = job.detail.choice;
    const { kinds } = this.#form;
    // The instant of the request, which has microseconds, and what came before it.
    const until = (job.created_at.getTime() + 1) * 1_000;
    const pages: PageView[] = [];
    let counting = 0;
    let { cursor = null } = job.place ?? {};
    let characters = 0;
    while (pages.length < this.#form.pages && characters < stepCharacters) {
      this.#held.signal.throwIfAborted();
      const limit = Math.min(mostOfAnswer, this.#form.pages - pages.length);
      const request = { cursor, limit, fields: this.#fieldsOf(job), filter, until, ...(kinds && { kinds }) };
      const answer = await readPages(this.#tools.pool, job.crawl_id, request, this.#tools.textOf);
      if (answer === 'unknown-crawl') throw new Lost();
      if (answer === 'bad-cursor') throw new Error(`export ${job.id} has no valid place`);
      pages.push(...answer.items);
      counting += answer.pages;
      cursor = answer.next ?? cursor;
      if (!answer.more) return { pages, counting, cursor, over: true };
      for (const page of answer.items) characters += sizeOf(page);
      // A filter that few pages fit: how far the look has come is noted now and then.
      if (answer.items.length === 0) break;
    }
    return { pages, counting, cursor, over: false };
  }

  async #upload(job: ExportRow, length: number): Promise<void> {
    const { bucket } = this.#tools.files;
    if (bucket === null) throw new Unmakable('this instance has no bucket any more');
    const part = (at: number, bytes: number): Promise<Buffer> =>
      buffer(this.#tools.files.read(job, this.#name, at, at + bytes));
    const goesOn = async (): Promise<boolean> => {
      this.#held.signal.throwIfAborted();
      await this.#held.note({});
      return true;
    };
    await bucket.take(objectName(job), length, part, goesOn);
  }

  async #expectRoom(): Promise<void> {
    const { files, mostBytes, pool } = this.#tools;
    const free = await files.freeBytes();
    if (free < leftFree) throw new Unmakable(noRoom);
    const [used] = await exportsInUse(pool);
    if ((used?.bytes ?? 0) > mostBytes)
      throw new Unmakable('the exports in the folder have reached the size that they may have together');
  }

  #fieldsOf({ detail }: ExportRow): readonly PageField[] {
    return [...new Set([...detail.choice.fields, ...this.#form.needs])];
  }

  #making(job: ExportRow, draft: Draft): Making {
    const { filter } = job.detail.choice;
    const memory = job.place?.memory ?? null;
    return { ...this.#tools, crawlId: job.crawl_id, filter, draft, fields: this.#fieldsOf(job), memory };
  }
}

/** Characters that a page is held with, about. */
const sizeOf = ({ text, main, links, anchors, images, meta, fields }: PageView): number =>
  200 +
  (text?.length ?? 0) +
  (main?.length ?? 0) +
  (links ?? []).reduce((sum, { length }) => sum + length, 0) +
  JSON.stringify([anchors, images, meta, fields]).length;
