/**
 * Jobs on record (storage/jobs/): a kind says what a step does, the rest is here. After each step it is noted how far the
 * job is, so that whoever takes it up, after a kill at any instruction, does one step again at most.
 *
 * A stint that finds the job with an owner takes it over: the owner may only be frozen, and is refused when it notes. A
 * fault that comes again and again at the same place is no passing one: the job ends with it.
 */
import { randomUUID } from 'node:crypto';
import type { Stint } from '../../contracts/jobs.ts';
import { NotHereYet } from '../../storage/archive/index.ts';
import type { JobRow, JobsOf } from '../../storage/jobs/index.ts';
import { isStorageOutage, retrying, type Pool } from '../../storage/postgres/index.ts';
import { DependencyDown } from '../breakers/dependency-down.ts';
import { isDiskTrouble } from '../breakers/watched-blobs.ts';
import { done, more, type Job, type JobCall } from './job.ts';

/** The job is somebody else's by now, or has ended, or is to begin anew. */
export class Lost extends Error {}
/** The job cannot be done: it ends with these words. */
export class Unmakable extends Error {}

/** @throws Lost where a statement of the owner found no row */
export function owned(rows: readonly unknown[]): void {
  if (rows.length === 0) throw new Lost();
}

/** What holds from now on; what is absent stays. */
interface Noted<Row extends JobRow> {
  readonly place?: Row['place'];
  readonly progress?: Partial<Row['progress']>;
}

export interface Step<Row extends JobRow> extends Noted<Row> {
  /** What is left: more to do now, nothing, or nothing until so many milliseconds have passed. */
  readonly rest: 'more' | 'over' | number;
}

/** What one stint does. */
export interface Steps<Row extends JobRow> {
  step(job: Row): Promise<Step<Row>>;
  /** How far the job is. */
  tell(job: Row): Pick<Stint, 'view' | 'words'>;
  /** Whether the job may end by a fault that lasts. */
  mayFail(job: Row): boolean;
  /** Progress from which a job that has failed goes on, to undo what it did; absent: it ends at once. */
  readonly failed?: Partial<Row['progress']>;
  /** The job has ended, well or not. A process that is killed before this leaves it to a chore. */
  ended?(job: Row): Promise<unknown>;
  /** Nothing of this process works at the job any more. */
  close?(): Promise<void>;
}

/** A stint at a job. */
export interface Held<Row extends JobRow> extends JobCall {
  /** As it was taken up. */
  readonly job: Row;
  /** Of this stint, for statements of its own that only the owner may make. */
  readonly owner: string;
  /** The owner before has not given the job back, and may still be at work. */
  readonly isTakenOver: boolean;
  /** Notes something within a step. @throws Lost */
  note(noted: Noted<Row>): Promise<void>;
}

/** Times that a stint fails, with pauses that grow to a minute, before its fault is taken for one that lasts. */
const mostTries = 20;
const ended = done('It has ended, or waits for people; its state is in the API.');
/** Whether there is something to do, the next stint sees. */
const lost = more(null, ended.words);

/** @param begin called with each stint */
export const keptJobs = <Row extends JobRow>(
  pool: Pool,
  jobs: Pick<JobsOf<Row>, 'claim' | 'note' | 'release'> & {
    cancel(db: Pool, id: string, crawlId: null): Promise<unknown>;
  },
  begin: (held: Held<Row>) => Steps<Row>,
): Job => ({
  cancel: (id) => jobs.cancel(pool, id, null),
  work: async (call) => {
    const owner = randomUUID();
    const [claimed] = await retrying(() => jobs.claim(pool, call.id, owner));
    if (claimed === undefined) return ended;
    let job: Row = claimed;
    const write = async (
      { place = job.place, progress = {} }: Noted<Row>,
      holds = true,
      state: 'running' | 'finished' | 'failed' = 'running',
      error = job.error,
    ): Promise<void> => {
      job = { ...job, state, place, progress: { ...job.progress, ...progress }, error };
      const next = JSON.stringify({ state, place, progress: job.progress, error });
      owned(await retrying(() => jobs.note(pool, job.id, owner, next, holds)));
    };
    const steps = begin({
      ...call,
      job,
      owner,
      isTakenOver: claimed.before !== null,
      note: write,
    });
    const run = async (): Promise<Stint> => {
      for (;;) {
        const { rest, ...next } = await steps.step(job);
        const over = rest === 'over';
        const goesOn = rest === 'more' && call.goOn();
        await write(next, goesOn, over ? 'finished' : 'running');
        if (goesOn) continue;
        if (over) await steps.ended?.(job);
        return { ...steps.tell(job), over, waitMs: typeof rest === 'number' ? rest : 0 };
      }
    };
    /** @throws the fault, if it may pass */
    const fail = async (fault: unknown): Promise<Stint> => {
      const why = whyItEnds(fault, steps.mayFail(job) && !call.signal.aborted, call.tries);
      if (why === null) throw fault;
      await write({ progress: steps.failed ?? {} }, false, steps.failed ? 'running' : 'failed', why);
      if (job.state === 'failed') await steps.ended?.(job);
      return lost;
    };
    try {
      return await run().catch(fail);
    } catch (error) {
      if (error instanceof Lost) return lost;
      throw error;
    } finally {
      await steps.close?.();
      await jobs.release(pool, job.id, owner);
    }
  },
});

/** Null: it may pass. Whatever is down or has no room passes, however long it lasts. */
function whyItEnds(fault: unknown, mayFail: boolean, tries: number): string | null {
  if (fault instanceof Unmakable) return fault.message;
  if (!mayFail || tries < mostTries || !(fault instanceof Error)) return null;
  if (fault instanceof Lost || fault instanceof DependencyDown || fault instanceof NotHereYet) return null;
  if (isDiskTrouble(fault) || isStorageOutage(fault)) return null;
  return `the same fault came ${String(tries)} times: ${fault.message}`;
}
