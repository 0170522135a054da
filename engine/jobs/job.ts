/** What a kind of job is to those who run it (contracts/jobs.ts has the list). */
import type { JobInput, Stint } from '../../contracts/jobs.ts';

/** One stint at a job. */
export interface JobCall extends Omit<JobInput, 'kind'> {
  /** Asked after each step; false: the rest is for a later stint. */
  readonly goOn: () => boolean;
  /** Aborts a step; the job is taken up later. */
  readonly signal: AbortSignal;
  /** Times that this stint was begun, with this one. */
  readonly tries: number;
}

/**
 * Whoever takes a job up, after a kill at any instruction, goes on from what is noted in Postgres: a step is all that is
 * done again. Two stints at one job at once, of which one was only frozen, do no harm.
 */
export interface Job {
  work(call: JobCall): Promise<Stint>;
  /** Cancels what the job makes; of those kinds that cancel it. */
  cancel?(id: string): Promise<unknown>;
}

/** There is more to do now. */
export const more = (view: unknown, words: string): Stint => ({ view, words, over: false, waitMs: 0 });

/** @param view the result of the workflow */
export const done = (words: string, view: unknown = null): Stint => ({
  view,
  words,
  over: true,
  waitMs: 0,
});
