/**
 * Reads bodies aside from the event loop, for a process that has others to answer meanwhile: in a few threads, each page
 * within a budget. Pages are read in the order in which they were asked for, so whoever asks sees to fair turns.
 */
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import type { Done, Task } from './aside/thread.ts';
import type { Works } from './aside/works.ts';
import { BudgetedThreads, type Budget, type Overrun } from './budgeted-thread.ts';

/** The largest bodies that a crawl keeps unless told otherwise (10 MiB) take a few seconds. */
const usual: Budget = { heapMb: 512, bufferBytes: 256 * 1024 * 1024, workMs: 30_000 };

/** The body takes more time or memory to read than any page should, so asking again is of no use. */
export class BeyondBudget extends Error {
  override readonly name = 'BeyondBudget';
  readonly overrun: Overrun;

  constructor(overrun: Overrun) {
    super(`reading a body ended by its budget: ${overrun}`);
    this.overrun = overrun;
  }
}

/** The result of a work. @throws BeyondBudget */
type Aside = <W extends keyof Works>(work: W, ...args: Parameters<Works[W]>) => Promise<Result<W>>;
type Result<W extends keyof Works> = Awaited<ReturnType<Works[W]>>;

/** Threads start when they are needed, and end when nothing has come for a while. */
export function createAside(budget = usual, threads = Math.max(2, availableParallelism())): Aside {
  const file = new URL(`aside/thread${extname(import.meta.filename)}`, import.meta.url);
  const pool = new BudgetedThreads<Task, Done>(file, budget, threads);
  return async <W extends keyof Works>(work: W, ...args: Parameters<Works[W]>): Promise<Result<W>> => {
    // A body may be a part of a larger buffer, and its owner may go on using it.
    const own = args.map((arg: unknown) => (arg instanceof Uint8Array ? Uint8Array.from(arg) : arg));
    const moved = own.flatMap((arg) => (arg instanceof Uint8Array ? [arg.buffer as ArrayBuffer] : []));
    const done = await pool.run({ work, args: own }, moved);
    if (typeof done === 'string') throw new BeyondBudget(done);
    return done.result as Result<W>;
  };
}

/** Of this process. */
export const aside = createAside();
