/**
 * A job makes the file of an export, step by step. A step appends some pages to the draft, syncs it, and then notes in
 * Postgres, in one statement, how far it has come: place in the feed, bytes of each part, what the format remembers.
 * Whoever takes the job up, after a kill at any instruction, cuts off what was not noted and goes on there.
 *
 *     pages ──(end of the feed)──> whole ──(the file has its name)──> [bucket] ──> finished
 *
 * An activity owns the job while it works. One that finds the job with an owner takes it over: the owner may only be
 * frozen, and so goes on with a copy of the draft, which the other cannot touch, and the other is refused when it notes.
 */
import { randomUUID } from 'node:crypto';
import type { ExportStep } from '../../contracts/activities.ts';
import { exportFiles, type ExportFormat } from '../../contracts/http/exports.ts';
import type { PageFilter } from '../../contracts/http/page-filter.ts';
import type { PageView } from '../../contracts/http/results.ts';
import type { PageField } from '../../contracts/page-fields.ts';
import {
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
import { isStorageOutage, retrying } from '../../storage/postgres/index.ts';
import { DependencyDown } from '../breakers/dependency-down.ts';
import { isDiskTrouble } from '../breakers/watched-blobs.ts';
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
/** Times that a call fails, with pauses that grow to a minute, before its fault is taken for one that lasts. */
const mostTries = 20;

/** The job is somebody else's by now, or has ended. */
class Lost extends Error {}
/** The export cannot be made: the job ends with these words. */
class Unmakable extends Error {}

export const fileName = (crawlId: string, id: string, format: string): string =>
  `crawl-${crawlId}-export-${id}.${exportFiles[format as ExportFormat].ending}`;

export const objectName = (folder: string, file: string): string => `exports/${folder}/${file}`;

/**
 * Works at a job for a while. A fault that comes again and again at the same place is no passing one: the job ends with it.
 * @param goOn asked after each step
 * @param signal aborts a step; the job is taken up later
 * @param tries times that this call was begun, with this one
 * @returns null: the job has ended, or is somebody else's
 */
export async function makeExport(
  tools: ExportTools,
  id: string,
  goOn: () => boolean,
  signal: AbortSignal,
  tries = 1,
): Promise<ExportStep | null> {
  const owner = randomUUID();
  const [job] = await retrying(() => claimExport(tools.pool, id, owner));
  if (job === undefined) return null;
  const work = new Work(tools, job, owner, signal);
  try {
    return await work.run(goOn);
  } catch (error) {
    if (error instanceof Lost) return null;
    const why =
      reasonOf(error) ?? (work.isMakingPages && !signal.aborted ? lastingFault(error, tries) : null);
    if (why === null) throw error;
    const ended = await retrying(() => endExport(tools.pool, id, owner, 'failed', why, 0, false));
    // It has given up because there was no room, perhaps. If the job is somebody else's by now, so are the files.
    if (ended.length > 0) await tools.files.clear(job, null);
    return null;
  } finally {
    await work.close();
  }
}

/** Null: it is tried again. */
function reasonOf(error: unknown): string | null {
  if (hasNoRoom(error)) return 'the disk of the folder of exports is full';
  return error instanceof Unmakable || error instanceof DraftLost ? error.message : null;
}

/** Null: it may pass. Whatever is down or has no room passes, however long it lasts. */
function lastingFault(error: unknown, tries: number): string | null {
  if (tries < mostTries || !(error instanceof Error)) return null;
  if (error instanceof DependencyDown || isDiskTrouble(error) || isStorageOutage(error)) return null;
  return `the same fault came ${String(tries)} times: ${error.message}`;
}

class Work {
  readonly #tools: ExportTools;
  readonly #owner: string;
  readonly #signal: AbortSignal;
  readonly #form: ExportForm;
  readonly #name: string;
  #job: ClaimedExport;
  #draft: Draft | null = null;
  #holds = true;

  constructor(tools: ExportTools, job: ClaimedExport, owner: string, signal: AbortSignal) {
    this.#tools = tools;
    this.#job = job;
    this.#owner = owner;
    this.#signal = signal;
    this.#form = exportForms[job.format as ExportFormat];
    this.#name = fileName(job.crawl_id, job.id, job.format);
  }

  /** Its faults are ours or those of a page, not those of a bucket that is away. */
  get isMakingPages(): boolean {
    return this.#job.phase !== 'bucket';
  }

  async run(goOn: () => boolean): Promise<ExportStep | null> {
    if ((await this.#tools.files.size(this.#job, this.#name)) === null) {
      const draft = await this.#open();
      while (this.#job.phase === 'pages') {
        await this.#expectRoom();
        await this.#step(draft);
        if (!goOn()) return this.#giveBack();
      }
      await this.#expectRoom();
      await this.#form.end(this.#making(draft));
      await draft.finish(whole, this.#name);
      this.#draft = null;
    }
    return this.#deliver();
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
      this.#draft = await Draft.open(files.draftOf(this.#job, own), parts, this.#signal);
      await this.#note({ draft: own });
      await files.clear(this.#job, own);
      return this.#draft;
    }
    return (this.#draft = await Draft.open(files.draftOf(this.#job, draft), parts, this.#signal));
  }

  async #step(draft: Draft): Promise<void> {
    const { pages, place, over } = await this.#read();
    const memory = pages.length === 0 ? this.#job.memory : await this.#form.add(this.#making(draft), pages);
    const parts = await draft.sync();
    await this.#note({
      ...{ place, memory, parts, phase: over ? 'whole' : 'pages', bytes: draft.bytes },
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
      this.#signal.throwIfAborted();
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
  async #deliver(): Promise<null> {
    const { files } = this.#tools;
    const length = (await files.size(this.#job, this.#name)) ?? 0;
    const toBucket = this.#job.target === 'bucket';
    if (toBucket) {
      await this.#note({ phase: 'bucket', bytes: length });
      await this.#upload(length);
    }
    const { id } = this.#job;
    const ended = await retrying(() =>
      endExport(this.#tools.pool, id, this.#owner, 'finished', null, length, toBucket),
    );
    if (ended.length === 0) throw new Lost();
    this.#holds = false;
    await files.clear(this.#job, toBucket ? null : this.#job.draft);
    return null;
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
      this.#signal.throwIfAborted();
      await this.#note({});
      return true;
    };
    await bucket.take(objectName(this.#job.folder, this.#name), length, part, goesOn);
  }

  async #expectRoom(): Promise<void> {
    const { files, mostBytes, pool } = this.#tools;
    const free = await files.freeBytes();
    if (free < leftFree) throw new Unmakable('the disk of the folder of exports is full');
    const [used] = await exportsInUse(pool);
    if ((used?.bytes ?? 0) > mostBytes)
      throw new Unmakable('the exports in the folder have reached the size that they may have together');
  }

  async #giveBack(): Promise<ExportStep> {
    await this.#note({}, false);
    this.#holds = false;
    const { phase, pages, bytes } = this.#job;
    return { phase, pages, bytes };
  }

  /** @throws Lost */
  async #note(changed: Partial<ClaimedExport>, holds = true): Promise<void> {
    this.#job = { ...this.#job, ...changed };
    const { id, phase, draft, place, parts, memory, pages, bytes } = this.#job;
    const next = JSON.stringify({ phase, draft, place, parts, memory, pages, bytes });
    const noted = await retrying(() => noteExport(this.#tools.pool, id, this.#owner, next, holds));
    if (noted.length === 0) throw new Lost();
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
