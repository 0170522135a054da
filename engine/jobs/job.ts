/** What a kind of job is to those who run it (contracts/jobs.ts has the list). */
import type { JobInput, JobTurn } from '../../contracts/jobs.ts';

export interface Turn extends Omit<JobInput, 'kind'> {
  /** Asked after each step; false: the rest is for a later turn. */
  readonly goOn: () => boolean;
  /** Aborts a step; the job is taken up later. */
  readonly signal: AbortSignal;
  /** Times that this turn was begun, with this one. */
  readonly tries: number;
}

/**
 * Whoever takes a job up, after a kill at any instruction, goes on from what is noted in Postgres: a step is all that is
 * done again. Two turns of one job at once, of which one was only frozen, do no harm.
 */
export interface Job {
  turn(turn: Turn): Promise<JobTurn>;
  /** Cancels what the job makes; of those kinds that cancel it. */
  cancel?(id: string): Promise<unknown>;
}

/** There is more to do now. */
export const more = (view: unknown, words: string): JobTurn => ({ view, words, over: false, waitMs: 0 });

/** @param view the result of the workflow */
export const done = (words: string, view: unknown = null): JobTurn => ({
  view,
  words,
  over: true,
  waitMs: 0,
});
