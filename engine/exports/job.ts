/**
 * A job makes the file of an export, step by step. A step appends some pages to the draft, syncs it, and then notes in
 * Postgres, in one statement, how far it has come: place in the feed, bytes of each part, what the format remembers.
 * Whoever takes the job up, after a kill at any instruction, cuts off what was not noted and goes on there. Since the owner
 * before may only be frozen, that one goes on with a copy of the draft, which the other cannot touch.
 *
 *     pages ──(end of the feed)──> whole ──(the file has its name)──> [bucket] ──> finished
 */
import { randomUUID } from 'node:crypto';
import type { Stint } from '../../contracts/jobs.ts';
import { exportFiles, type ExportFormat } from '../../contracts/http/exports.ts';
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import { counted } from '../../domain/counted.ts';
import {
  cancelExport,
  claimExport,
  Draft,
  DraftLost,
  endExport,
  exportsInUse,
  hasNoRoom,
  noteExport,
  releaseExport,
  type ClaimedExport,
  type ExportFiles,
} from '../../storage/exports/index.ts';
import { readPages } from '../../storage/pages/index.ts';
import { retrying } from '../../storage/postgres/index.ts';
import { done, more, type Job, type JobCall } from '../jobs/job.ts';
import { Lost, owned, Unmakable, workOwned, type Work } from '../jobs/owned.ts';
import { exportForms } from './forms.ts';
import { whole, type ExportForm, type ExportSources, type Making } from './form.ts';

export interface ExportTools extends ExportSources {
  readonly files: ExportFiles;
  /** Bytes that all exports in the folder may have together. */
  readonly mostBytes: number;
}

export interface ExportChoice {
  readonly fields: readonly PageField[];
  readonly filter: PageFilter;
}

/** Bytes of the disk that exports leave for the crawls. */
const leftFree = 256 * 1024 ** 2;
/** Characters of pages that are held for one step. */
const stepCharacters = 16 * 1024 ** 2;
const mostOfAnswer = 1_000;
const noRoom = 'the disk of the folder of exports is full';

export const fileName = (crawlId: string, id: string, format: string): string =>
  `crawl-${crawlId}-export-${id}.${exportFiles[format as ExportFormat].ending}`;

export const objectName = (folder: string, file: string): string => `exports/${folder}/${file}`;

export const exportJobs = (tools: ExportTools): Job => ({
  work: (call) =>
    workOwned(
      call,
      (id, owner) => claimExport(tools.pool, id, owner),
      (row, owner) => new ExportWork(tools, row, owner, call),
    ),
  cancel: (id) => cancelExport(tools.pool, id, null),
});

class ExportWork implements Work {
  readonly #tools: ExportTools;
  readonly #owner: string;
  readonly #call: JobCall;
  readonly #form: ExportForm;
  readonly #name: string;
  #job: ClaimedExport;
  #draft: Draft | null = null;
  #holds = true;

  constructor(tools: ExportTools, job: ClaimedExport, owner: string, call: JobCall) {
    this.#tools = tools;
    this.#job = job;
    this.#owner = owner;
    this.#call = call;
    this.#form = exportForms[job.format as ExportFormat];
    this.#name = fileName(job.crawl_id, job.id, job.format);
  }

  /** Its faults are ours or those of a page, not those of a bucket that is away. */
  get mayFail(): boolean {
    return this.#job.phase !== 'bucket';
  }

  async run(): Promise<Stint> {
    try {
      return await this.#run();
    } catch (error) {
      if (hasNoRoom(error)) throw new Unmakable(noRoom);
      throw error instanceof DraftLost ? new Unmakable(error.message) : error;
    }
  }

  async #run(): Promise<Stint> {
    if ((await this.#tools.files.size(this.#job, this.#name)) === null) {
      const draft = await this.#open();
      while (this.#job.phase === 'pages') {
        await this.#expectRoom();
        await this.#step(draft);
        if (!this.#call.goOn()) return this.#giveBack();
      }
      await this.#expectRoom();
      await this.#form.end(this.#making(draft));
      await draft.finish(whole, this.#name);
      this.#draft = null;
    }
    return this.#deliver();
  }

  /** It has given up because there was no room, perhaps. If the job is somebody else's by now, so are the files. */
  async fail(why: string): Promise<void> {
    const ended = await this.#end('failed', why, 0, false);
    if (ended.length > 0) await this.#tools.files.clear(this.#job, null);
  }

  /** Whatever happened, nothing of this process writes to the job any more: the next one need not copy the draft. */
  async close(): Promise<void> {
    await this.#draft?.close();
    if (this.#holds) await releaseExport(this.#tools.pool, this.#job.id, this.#owner);
  }

  async #open(): Promise<Draft> {
    const { files } = this.#tools;
    const { draft, before, parts } = this.#job;
    if (draft === null || before !== null) {
      const own = randomUUID();
      if (draft !== null)
        await Draft.copy(files.draftOf(this.#job, draft), files.draftOf(this.#job, own), parts);
      this.#draft = await Draft.open(files.draftOf(this.#job, own), parts, this.#call.signal);
      await this.#note({ draft: own });
      await files.clear(this.#job, own);
      return this.#draft;
    }
    return (this.#draft = await Draft.open(files.draftOf(this.#job, draft), parts, this.#call.signal));
  }

  async #step(draft: Draft): Promise<void> {
    const { pages, place, over } = await this.#read();
    const memory = pages.length === 0 ? this.#job.memory : await this.#form.add(this.#making(draft), pages);
    const parts = await draft.sync();
    await this.#note({
      place,
      memory,
      parts,
      phase: over ? 'whole' : 'pages',
      bytes: draft.bytes,
      pages: this.#job.pages + pages.length,
    });
  }

  /** The pages of one step, and the place behind them. */
  async #read() {
    const { crawl_id: crawlId, until } = this.#job;
    const { filter } = this.#job.choice as ExportChoice;
    const { kinds } = this.#form;
    const pages: PageView[] = [];
    let { place } = this.#job;
    let characters = 0;
    while (pages.length < this.#form.pages && characters < stepCharacters) {
      this.#call.signal.throwIfAborted();
      const limit = Math.min(mostOfAnswer, this.#form.pages - pages.length);
      const request = { cursor: place, limit, fields: this.#fields, filter, until, ...(kinds && { kinds }) };
      const answer = await readPages(this.#tools.pool, crawlId, request, this.#tools.textOf);
      if (answer === 'unknown-crawl') throw new Lost();
      if (answer === 'bad-cursor') throw new Error(`export ${this.#job.id} has a place that is none`);
      pages.push(...answer.items);
      place = answer.next ?? place;
      if (!answer.more) return { pages, place, over: true };
      for (const page of answer.items) characters += sizeOf(page);
      // A filter that few pages fit: how far the look has come is noted now and then.
      if (answer.items.length === 0) break;
    }
    return { pages, place, over: false };
  }

  /** The file has its name. */
  async #deliver(): Promise<Stint> {
    const { files } = this.#tools;
    const length = (await files.size(this.#job, this.#name)) ?? 0;
    const toBucket = this.#job.target === 'bucket';
    if (toBucket) {
      await this.#note({ phase: 'bucket', bytes: length });
      await this.#upload(length);
    }
    owned(await this.#end('finished', null, length, toBucket));
    this.#holds = false;
    await files.clear(this.#job, toBucket ? null : this.#job.draft);
    return done('The file is whole.');
  }

  #end(state: 'finished' | 'failed', why: string | null, bytes: number, inBucket: boolean) {
    return retrying(() =>
      endExport(this.#tools.pool, this.#job.id, this.#owner, state, why, bytes, inBucket),
    );
  }

  async #upload(length: number): Promise<void> {
    const { bucket } = this.#tools.files;
    if (bucket === null) throw new Unmakable('this instance has no bucket any more');
    const part = async (at: number, bytes: number): Promise<Buffer> => {
      const chunks: Buffer[] = [];
      for await (const chunk of this.#tools.files.read(this.#job, this.#name, at, at + bytes))
        chunks.push(chunk);
      return Buffer.concat(chunks);
    };
    const goesOn = async (): Promise<boolean> => {
      this.#call.signal.throwIfAborted();
      await this.#note({});
      return true;
    };
    await bucket.take(objectName(this.#job.folder, this.#name), length, part, goesOn);
  }

  async #expectRoom(): Promise<void> {
    const { files, mostBytes, pool } = this.#tools;
    const free = await files.freeBytes();
    if (free < leftFree) throw new Unmakable(noRoom);
    const [used] = await exportsInUse(pool);
    if ((used?.bytes ?? 0) > mostBytes)
      throw new Unmakable('the exports in the folder have reached the size that they may have together');
  }

  async #giveBack(): Promise<Stint> {
    await this.#note({}, false);
    this.#holds = false;
    const { phase, pages, bytes } = this.#job;
    return more({ phase, pages, bytes }, `${counted(pages, 'page')} read, ${counted(bytes, 'byte')} written`);
  }

  /** @throws Lost */
  async #note(changed: Partial<ClaimedExport>, holds = true): Promise<void> {
    this.#job = { ...this.#job, ...changed };
    const { id, phase, draft, place, parts, memory, pages, bytes } = this.#job;
    const next = JSON.stringify({ phase, draft, place, parts, memory, pages, bytes });
    owned(await retrying(() => noteExport(this.#tools.pool, id, this.#owner, next, holds)));
  }

  get #fields(): readonly PageField[] {
    const { fields } = this.#job.choice as ExportChoice;
    return [...new Set([...fields, ...this.#form.needs])];
  }

  #making(draft: Draft): Making {
    const { crawl_id: crawlId, memory, choice } = this.#job;
    const { filter } = choice as ExportChoice;
    return { ...this.#tools, crawlId, filter, draft, fields: this.#fields, memory };
  }
}

/** Characters that a page is held with, about. */
const sizeOf = ({ text, main, links, anchors, images, meta, fields }: PageView): number =>
  200 +
  (text?.length ?? 0) +
  (main?.length ?? 0) +
  (links ?? []).reduce((sum, { length }) => sum + length, 0) +
  JSON.stringify([anchors, images, meta, fields]).length;
