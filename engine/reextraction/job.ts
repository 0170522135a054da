/**
 * A job reads the stored bodies of a crawl again and keeps what differs beside the pages, step by step. A step reads some
 * pages of the walk, and then stores its rows and notes its place in one statement. Whoever takes the job up, after a kill
 * at any instruction, goes on there.
 *
 *     waiting ──> running ──(end of the walk)──> finished ──(keep)──> keeping ──> kept
 *                    │                              │ ↑
 *                    └──> failed, cancelled         └─┘ switch and undo: one row of `reading_in_use`
 *
 * After a switch the job tells what follows from pages: fingerprints of texts, copies, the index for searches. `removing`
 * takes the rows of a job away, and then the job.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stint } from '../../contracts/jobs.ts';
import { counted } from '../../domain/counted.ts';
import { emptyTally, tallied, type Outcome, type Tally } from '../../domain/reextraction/tally.ts';
import { unreadPages } from '../../storage/crawls/index.ts';
import { rankCopies } from '../../storage/pages/index.ts';
import { inTransaction, retrying, type Pool } from '../../storage/postgres/index.ts';
import {
  cancelReextraction,
  claimReextraction,
  dropReextraction,
  endReextraction,
  holdReextraction,
  keepReextracted,
  noteEmptied,
  noteKept,
  noteReextracted,
  noteSettled,
  releaseReextraction,
  removeReextracted,
  turnPrints,
  walkPages,
  type ClaimedReextraction,
} from '../../storage/reextraction/index.ts';
import { restartIndex } from '../../storage/search/index.ts';
import type { Dependencies } from '../dependencies.ts';
import { done, more, type Job, type JobCall } from '../jobs/job.ts';
import { Lost, owned, Unmakable, workOwned, type Work } from '../jobs/owned.ts';
import { readAgain, type Rereading, type StoredPage } from './read-again.ts';

export type ReextractionTools = Rereading & Pick<Dependencies, 'outage'>;

/** Pages of one step, and contents that are looked at for them. */
const stepPages = 100;
const stepContents = 1_000;
/** Rows that are kept, removed or exchanged in one statement. */
const batch = 500;
/**
 * While fetched pages wait to be read, a step is followed by a rest that is so many times as long as the step, up to a
 * bound: pages that are new go before those that were read before.
 */
const restShare = 4;
const longestRestMs = 5_000;

const phases = {
  reading: 'stored bodies are read again',
  telling: 'what follows from pages is told',
  keeping: 'what was found becomes the pages’ own',
  removing: 'what was found is removed',
} as const;
const nothingLeft = done('Nothing is left to do; its state is in the API.');

export const reextractionJobs = (tools: ReextractionTools): Job => ({
  work: (call) =>
    workOwned(
      call,
      (id, owner) => claimReextraction(tools.pool, id, owner),
      (row, owner) => new ReextractionWork(tools, row, owner, call),
    ),
  cancel: (id) => cancelReextraction(tools.pool, id, null),
});

class ReextractionWork implements Work {
  readonly #tools: ReextractionTools;
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #call: JobCall;
  #job: ClaimedReextraction;

  constructor(tools: ReextractionTools, job: ClaimedReextraction, owner: string, call: JobCall) {
    this.#tools = tools;
    this.#pool = tools.pool;
    this.#job = job;
    this.#owner = owner;
    this.#call = call;
  }

  get mayFail(): boolean {
    return this.#job.state === 'running';
  }

  async fail(why: string): Promise<void> {
    await retrying(() => endReextraction(this.#pool, this.#job.id, this.#owner, 'failed', why));
  }

  async close(): Promise<void> {
    await releaseReextraction(this.#pool, this.#job.id, this.#owner);
  }

  async run(): Promise<Stint> {
    const { id, state, turns, settled } = this.#job;
    if (state === 'running') return this.#make();
    if (settled < turns && !(await this.#settle())) return this.#progress('telling');
    if (state === 'keeping' && !(await this.#keep())) return this.#progress('keeping');
    if (state === 'removing' || state === 'failed' || state === 'cancelled') {
      if (!(await this.#empty())) return this.#progress('removing');
      if (state === 'removing') await retrying(() => dropReextraction(this.#pool, id, this.#owner));
      else await retrying(() => noteEmptied(this.#pool, id, this.#owner));
    }
    return nothingLeft;
  }

  async #make(): Promise<Stint> {
    const { id, extractor } = this.#job;
    const { version } = this.#tools.extractor;
    if (extractor !== null && extractor !== version)
      throw new Unmakable(
        `it was begun by version ${String(extractor)} of the extractor, and version ${String(version)} runs now: start it again`,
      );
    for (;;) {
      const begunAt = performance.now();
      const down = this.#tools.outage();
      if (down !== null) throw down;
      if (await this.#step()) {
        owned(await retrying(() => endReextraction(this.#pool, id, this.#owner, 'finished', null)));
        return nothingLeft;
      }
      if (!this.#call.goOn()) return this.#progress('reading');
      await this.#giveWay(performance.now() - begunAt);
    }
  }

  /** @returns the walk is over */
  async #step(): Promise<boolean> {
    const { id, crawl_id: crawlId, until, place } = this.#job;
    const walk = { crawlId, after: place ?? 0, until, limit: stepPages, mostLooked: stepContents };
    const rows = await retrying(() => walkPages(this.#pool, walk));
    const last = rows.at(-1);
    if (last === undefined) return true;
    const crawl = await this.#tools.books.crawls.open(Number(crawlId));
    const outcomes: Outcome[] = [];
    const found: object[] = [];
    const stored = rows.filter((row): row is StoredPage => row.key !== null);
    for await (const { outcome, row } of readAgain(this.#tools, crawl, stored)) {
      outcomes.push(outcome);
      if (row !== null) found.push(row);
    }
    const tally: Tally = tallied({ ...emptyTally, ...this.#job.tally }, outcomes);
    const next = {
      tally,
      pages: this.#job.pages + stored.length,
      extractor: this.#tools.extractor.version,
      place: last.content_id,
    };
    const [noted, written] = [JSON.stringify(next), JSON.stringify(found)];
    owned(await retrying(() => noteReextracted(this.#pool, id, this.#owner, noted, written)));
    this.#job = { ...this.#job, ...next };
    return rows.length === last.looked && last.looked < stepContents;
  }

  async #giveWay(tookMs: number): Promise<void> {
    const [unread] = await unreadPages(this.#pool);
    if ((unread?.pages ?? 0) === 0) return;
    await sleep(Math.min(longestRestMs, restShare * tookMs), undefined, { signal: this.#call.signal }).catch(
      () => undefined,
    );
  }

  /** @returns all that follows was told */
  async #settle(): Promise<boolean> {
    const { id, crawl_id: crawlId, turns } = this.#job;
    for (;;) {
      const turned = await turnPrints(this.#pool, { id, crawlId, owner: this.#owner }, batch);
      if (turned === null) throw new Lost();
      if (turned === 0) break;
      if (!this.#call.goOn()) return false;
    }
    await inTransaction(this.#pool, (db) => rankCopies(db, Number(crawlId)));
    // After the copies: of several pages with one text, one is in the index.
    await retrying(() => restartIndex(this.#pool, crawlId));
    await retrying(() => noteSettled(this.#pool, id, this.#owner, turns));
    return true;
  }

  /** @returns all extractions are the pages' own */
  async #keep(): Promise<boolean> {
    const { id, crawl_id: crawlId } = this.#job;
    for (;;) {
      const kept = await inTransaction(this.#pool, async (db) => {
        owned(await holdReextraction(db, id, this.#owner));
        const [written] = await keepReextracted(db, id, crawlId, batch);
        if (written?.rows === 0) await noteKept(db, id);
        return written?.rows ?? 0;
      });
      if (kept === 0) return true;
      if (!this.#call.goOn()) return false;
    }
  }

  /** @returns the job has no pages any more */
  async #empty(): Promise<boolean> {
    for (;;) {
      const [removed] = await retrying(() => removeReextracted(this.#pool, this.#job.id, batch));
      if ((removed?.rows ?? 0) < batch) return true;
      if (!this.#call.goOn()) return false;
    }
  }

  #progress(phase: keyof typeof phases): Stint {
    const { pages, tally } = this.#job;
    const { different = 0 } = tally;
    return more(
      { phase, pages, different },
      `${phases[phase]}; ${counted(pages, 'page')} read, ${counted(different, 'page')} different`,
    );
  }
}
