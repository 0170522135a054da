/**
 * Stints of jobs that have a row each, and an owner while they are worked. A stint that finds the job with an owner takes it
 * over: the owner may only be frozen, and is refused when it notes. A fault that comes again and again at the same place is
 * no passing one: the job ends with it.
 */
import { randomUUID } from 'node:crypto';
import type { Stint } from '../../contracts/jobs.ts';
import { NotHereYet } from '../../storage/archive/index.ts';
import { isStorageOutage, retrying } from '../../storage/postgres/index.ts';
import { DependencyDown } from '../breakers/dependency-down.ts';
import { isDiskTrouble } from '../breakers/watched-blobs.ts';
import { done, more, type JobCall } from './job.ts';

/** The job is somebody else's by now, or has ended, or is to begin anew. */
export class Lost extends Error {}
/** The job cannot be done: it ends with these words. */
export class Unmakable extends Error {}

/** What is done in one stint by the owner of a job. */
export interface Work {
  run(): Promise<Stint>;
  /** Whether the job may end by a fault that lasts. */
  readonly mayFail: boolean;
  /** Ends the job, unless it is somebody else's by now. */
  fail(why: string): Promise<void>;
  /** Nothing of this process works at the job any more. */
  close(): Promise<void>;
}

/** Times that a stint fails, with pauses that grow to a minute, before its fault is taken for one that lasts. */
const mostTries = 20;
const ended = done('It has ended, or waits for people; its state is in the API.');
/** Whether there is something to do, the next stint sees. */
const lost = more(null, ended.words);

/**
 * @param claim makes the job the owner's; no row: there is nothing to do, or the crawl is gone
 * @returns over: there is nothing to do any more
 */
export async function workOwned<Row>(
  { id, signal, tries }: JobCall,
  claim: (id: string, owner: string) => Promise<readonly Row[]>,
  workAt: (row: Row, owner: string) => Work,
): Promise<Stint> {
  const owner = randomUUID();
  const [row] = await retrying(() => claim(id, owner));
  if (row === undefined) return ended;
  const work = workAt(row, owner);
  try {
    return await work.run();
  } catch (error) {
    if (error instanceof Lost) return lost;
    const lasts = work.mayFail && !signal.aborted;
    const why = error instanceof Unmakable ? error.message : lasts ? lastingFault(error, tries) : null;
    if (why === null) throw error;
    await work.fail(why);
    return ended;
  } finally {
    await work.close();
  }
}

/** Null: it may pass. Whatever is down or has no room passes, however long it lasts. */
function lastingFault(error: unknown, tries: number): string | null {
  if (tries < mostTries || !(error instanceof Error)) return null;
  if (error instanceof DependencyDown || error instanceof NotHereYet) return null;
  if (isDiskTrouble(error) || isStorageOutage(error)) return null;
  return `the same fault came ${String(tries)} times: ${error.message}`;
}

/** @throws Lost where a statement of the owner found no row */
export function owned(rows: readonly unknown[]): void {
  if (rows.length === 0) throw new Lost();
}
