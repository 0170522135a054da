/**
 * A job reads the stored bodies of a crawl again and keeps what differs beside the pages, step by step. A step reads some
 * pages of the walk, stores its rows, and then notes its place. A step that is done twice stores the same rows.
 *
 *     waiting ──> running ──(end of the walk)──> finished ──(keep)──> keeping ──> kept
 *                    │                              │ ↑
 *                    └──> failed, cancelled         └─┘ switch and undo: one row of `reading_in_use`
 *
 * After a switch the job tells what follows from pages: fingerprints of texts, copies, the index for searches. `removing`
 * takes the rows of a job away, and then the job.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { counted } from '../../domain/counted.ts';
import { tallied, type Outcome } from '../../domain/reextraction/tally.ts';
import { unreadPages } from '../../storage/crawls/index.ts';
import { rankCopies } from '../../storage/pages/index.ts';
import { inTransaction, retrying, type Pool } from '../../storage/postgres/index.ts';
import {
  cancelReextraction,
  holdReextraction,
  keepReextracted,
  leaveReextraction,
  reextractionRows,
  removeReextracted,
  storeReextracted,
  turnPrints,
  walkPages,
  type ReextractionRow,
} from '../../storage/reextraction/index.ts';
import { restartIndex } from '../../storage/search/index.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Job } from '../jobs/job.ts';
import { keptJobs, Lost, owned, Unmakable, type Held, type Step, type Steps } from '../jobs/kept.ts';
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

export const reextractionJobs = (tools: ReextractionTools): Job =>
  keptJobs(
    tools.pool,
    { ...reextractionRows, cancel: cancelReextraction },
    (held) => new ReextractionSteps(tools, held),
  );

class ReextractionSteps implements Steps<ReextractionRow> {
  readonly #tools: ReextractionTools;
  readonly #pool: Pool;
  readonly #held: Held<ReextractionRow>;
  readonly failed = { phase: 'failed' } as const;
  /** Milliseconds that the last step of this stint took. */
  #tookMs = 0;

  constructor(tools: ReextractionTools, held: Held<ReextractionRow>) {
    this.#tools = tools;
    this.#pool = tools.pool;
    this.#held = held;
  }

  mayFail({ progress }: ReextractionRow): boolean {
    return progress.phase === 'reading';
  }

  tell({ state, progress: { phase, isSettled, pages, tally } }: ReextractionRow) {
    if (state === 'finished') return { view: null, words: 'Nothing is left to do; its state is in the API.' };
    const doing = phase === 'reading' || phase === 'keeping' ? phase : isSettled ? 'removing' : 'telling';
    const words = `${phases[doing]}; ${counted(pages, 'page')} read, ${counted(tally.different, 'page')} different`;
    return { view: { phase: doing, pages, different: tally.different }, words };
  }

  async step(job: ReextractionRow): Promise<Step<ReextractionRow>> {
    const { phase, isSettled } = job.progress;
    if (phase === 'reading') return this.#read(job);
    if (!isSettled) return this.#settle(job);
    if (phase === 'keeping') return this.#keep(job);
    return phase === 'finished' || phase === 'kept' ? { rest: 'over' } : this.#empty(job);
  }

  async #read(job: ReextractionRow): Promise<Step<ReextractionRow>> {
    const { extractor, pages, tally } = job.progress;
    const { version } = this.#tools.extractor;
    if (extractor !== null && extractor !== version)
      throw new Unmakable(
        `it was begun by version ${String(extractor)} of the extractor, and version ${String(version)} runs now: start it again`,
      );
    await this.#giveWay();
    const begunAt = performance.now();
    const down = this.#tools.outage();
    if (down !== null) throw down;
    const { id, crawl_id: crawlId, detail, place } = job;
    const walk = {
      crawlId,
      after: place ?? 0,
      until: detail.until,
      limit: stepPages,
      mostLooked: stepContents,
    };
    const rows = await retrying(() => walkPages(this.#pool, walk));
    const last = rows.at(-1);
    if (last === undefined) return { place: null, progress: { phase: 'finished' }, rest: 'over' };
    const crawl = await this.#tools.books.crawls.open(Number(crawlId));
    const outcomes: Outcome[] = [];
    const found: object[] = [];
    const stored = rows.filter((row): row is StoredPage => row.key !== null);
    for await (const { outcome, row } of readAgain(this.#tools, crawl, stored)) {
      outcomes.push(outcome);
      if (row !== null) found.push(row);
    }
    owned(await retrying(() => storeReextracted(this.#pool, id, this.#held.owner, JSON.stringify(found))));
    this.#tookMs = performance.now() - begunAt;
    return {
      place: last.content_id,
      progress: { tally: tallied(tally, outcomes), pages: pages + stored.length, extractor: version },
      rest: 'more',
    };
  }

  async #giveWay(): Promise<void> {
    if (this.#tookMs === 0) return;
    const [unread] = await unreadPages(this.#pool);
    if ((unread?.pages ?? 0) === 0) return;
    const restMs = Math.min(longestRestMs, restShare * this.#tookMs);
    await sleep(restMs, undefined, { signal: this.#held.signal }).catch(() => undefined);
  }

  async #settle(job: ReextractionRow): Promise<Step<ReextractionRow>> {
    const turned = await turnPrints(this.#pool, job, this.#held.owner, batch);
    if (turned === null) throw new Lost();
    if (turned > 0) return { rest: 'more' };
    await inTransaction(this.#pool, (db) => rankCopies(db, Number(job.crawl_id)));
    // After the copies: of several pages with one text, one is in the index.
    await retrying(() => restartIndex(this.#pool, job.crawl_id));
    return { progress: { isSettled: true }, rest: 'more' };
  }

  #keep({ id, crawl_id: crawlId }: ReextractionRow): Promise<Step<ReextractionRow>> {
    return inTransaction(this.#pool, async (db): Promise<Step<ReextractionRow>> => {
      owned(await holdReextraction(db, id, this.#held.owner));
      const [written] = await keepReextracted(db, id, crawlId, batch);
      if ((written?.rows ?? 0) > 0) return { rest: 'more' };
      await leaveReextraction(db, crawlId, id);
      return { progress: { phase: 'kept', isInUse: false }, rest: 'over' };
    });
  }

  async #empty({ id, progress }: ReextractionRow): Promise<Step<ReextractionRow>> {
    const [removed] = await retrying(() => removeReextracted(this.#pool, id, batch));
    if ((removed?.rows ?? 0) === batch) return { rest: 'more' };
    if (progress.phase !== 'removing') return { rest: 'over' };
    await retrying(() => reextractionRows.drop(this.#pool, id));
    throw new Lost();
  }
}
