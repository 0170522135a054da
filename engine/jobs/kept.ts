/**
 * Jobs on record (storage/jobs/): a kind says what a step does, the rest is here. After each step it is noted how far the
 * job is, so that whoever takes it up, after a kill at any instruction, does one step again at most.
 */
import type { Stint } from '../../contracts/jobs.ts';
import type { JobRow, JobsOf } from '../../storage/jobs/index.ts';
import { retrying, type Pool } from '../../storage/postgres/index.ts';
import type { Job, JobCall } from './job.ts';
import { Lost, workOwned, type Work } from './owned.ts';

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
  /** The job has ended, well or not. A process that is killed before this leaves it to a chore. */
  ended?(job: Row): Promise<unknown>;
  /** Nothing of this process works at the job any more. */
  close?(): Promise<void>;
}

/** A stint at a job. */
export interface Held<Row extends JobRow> extends JobCall {
  /** As it was taken up. */
  readonly job: Row;
  /** The owner before has not given the job back, and may still be at work. */
  readonly isTakenOver: boolean;
  /** Notes something within a step. @throws Lost */
  note(noted: Noted<Row>): Promise<void>;
}

/** @param begin called with each stint */
export const keptJobs = <Row extends JobRow>(
  pool: Pool,
  jobs: JobsOf<Row>,
  begin: (held: Held<Row>) => Steps<Row>,
): Job => {
  const workAt = (call: JobCall, claimed: Row & { readonly before: string | null }, owner: string): Work => {
    let job: Row = claimed;
    /** Answers whether the job was still this stint's. */
    const write = async (
      { place = job.place, progress = {} }: Noted<Row>,
      holds = true,
      state: 'running' | 'finished' | 'failed' = 'running',
      error: string | null = null,
    ): Promise<boolean> => {
      job = { ...job, state, place, progress: { ...job.progress, ...progress }, error };
      const next = JSON.stringify({ state, place, progress: job.progress, error });
      return (await retrying(() => jobs.note(pool, job.id, owner, next, holds))).length > 0;
    };
    const steps = begin({
      ...call,
      job,
      isTakenOver: claimed.before !== null,
      note: async (noted) => {
        if (!(await write(noted))) throw new Lost();
      },
    });
    return {
      run: async () => {
        for (;;) {
          const { rest, ...next } = await steps.step(job);
          const over = rest === 'over';
          const goesOn = rest === 'more' && call.goOn();
          if (!(await write(next, goesOn, over ? 'finished' : 'running'))) throw new Lost();
          if (goesOn) continue;
          if (over) await steps.ended?.(job);
          return { ...steps.tell(job), over, waitMs: typeof rest === 'number' ? rest : 0 };
        }
      },
      get mayFail() {
        return steps.mayFail(job);
      },
      fail: async (why) => {
        if (await write({}, false, 'failed', why)) await steps.ended?.(job);
      },
      close: async () => {
        await steps.close?.();
        await jobs.release(pool, job.id, owner);
      },
    };
  };
  return {
    work: (call) =>
      workOwned(
        call,
        (id, owner) => jobs.claim(pool, id, owner),
        (row, owner) => workAt(call, row, owner),
      ),
    cancel: (id) => jobs.cancel(pool, id, null),
  };
};
