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
 *
 * An activity owns the job while it works. One that finds the job with an owner takes it over, since the owner may be
 * frozen: the other is refused when it notes.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReextractionStep } from '../../contracts/activities.ts';
import { emptyTally, tallied, type Outcome, type Tally } from '../../domain/reextraction/tally.ts';
import { unreadPages } from '../../storage/crawls/index.ts';
import { rankCopies } from '../../storage/pages/index.ts';
import { inTransaction, isStorageOutage, retrying, type Pool } from '../../storage/postgres/index.ts';
import {
  beginAnew,
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
import { NotHereYet } from '../../storage/archive/index.ts';
import { restartIndex } from '../../storage/search/index.ts';
import { DependencyDown } from '../breakers/dependency-down.ts';
import { isDiskTrouble } from '../breakers/watched-blobs.ts';
import type { Dependencies } from '../dependencies.ts';
import { readAgain, type Rereading, type StoredPage } from './read-again.ts';

export type ReextractionTools = Rereading & Pick<Dependencies, 'outage'>;

/** Pages of one step, and URLs that are looked at for them. */
const stepPages = 100;
const stepUrls = 1_000;
/** Rows that are kept, removed or exchanged in one statement. */
const batch = 500;
/**
 * While fetched pages wait to be read, a step is followed by a rest that is so many times as long as the step, up to a
 * bound: pages that are new go before those that were read before.
 */
const restShare = 4;
const longestRestMs = 5_000;
/** Times that a call fails, with pauses that grow to a minute, before its fault is taken for one that lasts. */
const mostTries = 20;

/** The job is somebody else's by now, or has ended. */
class Lost extends Error {}
/** The re-extraction cannot be made: the job ends with these words. */
class Unmakable extends Error {}

/**
 * Works at a job for a while. A fault that comes again and again at the same place is no passing one: the job ends with it.
 * @param goOn asked after each step
 * @param signal aborts a rest; the job is taken up later
 * @param tries times that this call was begun, with this one
 * @returns null: there is nothing to do, or the job is somebody else's
 */
export async function workAtReextraction(
  tools: ReextractionTools,
  id: string,
  goOn: () => boolean,
  signal: AbortSignal,
  tries = 1,
): Promise<ReextractionStep | null> {
  const owner = randomUUID();
  const [job] = await retrying(() => claimReextraction(tools.pool, id, owner));
  if (job === undefined) return null;
  try {
    return await new Work(tools, job, owner, signal).run(goOn);
  } catch (error) {
    if (error instanceof Lost) return null;
    const why = error instanceof Unmakable ? error.message : lastingFault(error, tries);
    if (why === null || job.state !== 'running' || signal.aborted) throw error;
    await retrying(() => endReextraction(tools.pool, id, owner, 'failed', why));
    return null;
  } finally {
    await releaseReextraction(tools.pool, id, owner);
  }
}

/** Null: it may pass. Whatever is down or has no room passes, however long it lasts. */
function lastingFault(error: unknown, tries: number): string | null {
  if (tries < mostTries || !(error instanceof Error)) return null;
  if (error instanceof DependencyDown || error instanceof NotHereYet) return null;
  if (isDiskTrouble(error) || isStorageOutage(error)) return null;
  return `the same fault came ${String(tries)} times: ${error.message}`;
}

type Phase = ReextractionStep['phase'];

class Work {
  readonly #tools: ReextractionTools;
  readonly #pool: Pool;
  readonly #owner: string;
  readonly #signal: AbortSignal;
  #job: ClaimedReextraction;

  constructor(tools: ReextractionTools, job: ClaimedReextraction, owner: string, signal: AbortSignal) {
    this.#tools = tools;
    this.#pool = tools.pool;
    this.#job = job;
    this.#owner = owner;
    this.#signal = signal;
  }

  async run(goOn: () => boolean): Promise<ReextractionStep | null> {
    const { id, state, turns, settled } = this.#job;
    if (state === 'running') return this.#make(goOn);
    if (settled < turns && !(await this.#settle(goOn))) return this.#progress('telling');
    if (state === 'keeping' && !(await this.#keep(goOn))) return this.#progress('keeping');
    if (state === 'removing' || state === 'failed' || state === 'cancelled') {
      if (!(await this.#empty(goOn))) return this.#progress('removing');
      if (state === 'removing') await retrying(() => dropReextraction(this.#pool, id, this.#owner));
      else await retrying(() => noteEmptied(this.#pool, id, this.#owner));
    }
    return null;
  }

  async #make(goOn: () => boolean): Promise<ReextractionStep | null> {
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
        const ended = await retrying(() => endReextraction(this.#pool, id, this.#owner, 'finished', null));
        if (ended.length > 0) return null;
        await this.#beginAnew(goOn);
      }
      if (!goOn()) return this.#progress('reading');
      await this.#giveWay(performance.now() - begunAt);
    }
  }

  /**
   * Where the crawl has ended meanwhile, or was ranked, copies of pages were chosen anew, which moves extractions from one URL to another:
   * the walk may have missed some. Until all rows are gone, the next call comes here again.
   */
  async #beginAnew(goOn: () => boolean): Promise<void> {
    const { id } = this.#job;
    this.#owned(await retrying(() => holdReextraction(this.#pool, id, this.#owner)));
    if (!(await this.#empty(goOn))) return;
    this.#owned(await retrying(() => beginAnew(this.#pool, id, this.#owner)));
    this.#job = { ...this.#job, place: null, pages: 0, tally: {}, extractor: null };
  }

  /** @returns the walk is over */
  async #step(): Promise<boolean> {
    const { id, crawl_id: crawlId, until, place } = this.#job;
    const { micros = 0, host = 0, key = '' } = place ?? {};
    const rows = await retrying(() =>
      walkPages(this.#pool, crawlId, micros, host, key, until, stepPages, stepUrls),
    );
    const last = rows.at(-1);
    if (last === undefined) return true;
    const crawl = await this.#tools.books.crawls.open(Number(crawlId));
    const outcomes: Outcome[] = [];
    const found: object[] = [];
    const stored = rows.filter((row): row is StoredPage => row.of !== null);
    for await (const { outcome, row } of readAgain(this.#tools, crawl, stored)) {
      outcomes.push(outcome);
      if (row !== null) found.push(row);
    }
    const tally: Tally = tallied({ ...emptyTally, ...this.#job.tally }, outcomes);
    const next = {
      ...{ tally, pages: this.#job.pages + stored.length, extractor: this.#tools.extractor.version },
      place: { micros: last.micros, host: last.host_id, key: last.key },
    };
    const [noted, written] = [JSON.stringify(next), JSON.stringify(found)];
    this.#owned(await retrying(() => noteReextracted(this.#pool, id, this.#owner, noted, written)));
    this.#job = { ...this.#job, ...next };
    return rows.length === last.looked && last.looked < stepUrls;
  }

  async #giveWay(tookMs: number): Promise<void> {
    const [unread] = await unreadPages(this.#pool);
    if ((unread?.pages ?? 0) === 0) return;
    await sleep(Math.min(longestRestMs, restShare * tookMs), undefined, { signal: this.#signal }).catch(
      () => undefined,
    );
  }

  /** @returns all that follows was told */
  async #settle(goOn: () => boolean): Promise<boolean> {
    const { id, crawl_id: crawlId, turns } = this.#job;
    for (;;) {
      const turned = await turnPrints(this.#pool, { id, crawlId, owner: this.#owner }, batch);
      if (turned === null) throw new Lost();
      if (turned === 0) break;
      if (!goOn()) return false;
    }
    await inTransaction(this.#pool, (db) => rankCopies(db, Number(crawlId)));
    // After the copies: of several pages with one text, one is in the index.
    await retrying(() => restartIndex(this.#pool, crawlId));
    await retrying(() => noteSettled(this.#pool, id, this.#owner, turns));
    return true;
  }

  /** @returns all extractions are the pages' own */
  async #keep(goOn: () => boolean): Promise<boolean> {
    const { id, crawl_id: crawlId } = this.#job;
    for (;;) {
      const kept = await inTransaction(this.#pool, async (db) => {
        this.#owned(await holdReextraction(db, id, this.#owner));
        const [written] = await keepReextracted(db, id, crawlId, batch);
        if (written?.rows === 0) await noteKept(db, id);
        return written?.rows ?? 0;
      });
      if (kept === 0) return true;
      if (!goOn()) return false;
    }
  }

  /** @returns the job has no pages any more */
  async #empty(goOn: () => boolean): Promise<boolean> {
    for (;;) {
      const [removed] = await retrying(() => removeReextracted(this.#pool, this.#job.id, batch));
      if ((removed?.rows ?? 0) < batch) return true;
      if (!goOn()) return false;
    }
  }

  /** @throws Lost */
  #owned(rows: readonly unknown[]): void {
    if (rows.length === 0) throw new Lost();
  }

  #progress(phase: Phase): ReextractionStep {
    const { pages, tally } = this.#job;
    return { phase, pages, different: tally.different ?? 0 };
  }
}
