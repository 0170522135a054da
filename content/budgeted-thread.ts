/**
 * A thread for work that a hostile body can make endless: each task has a limit of time and one of memory. A task that
 * passes a limit ends the thread, and nothing else. The thread starts with the first task, does the tasks one after
 * another, and ends when none has come for a while.
 *
 * The limit of time counts what the thread has worked or waited with nothing to do, and not the minutes for which a
 * busy machine may give it no processor: these say nothing of the body.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

export interface Budget {
  /** Of JavaScript objects. */
  readonly heapMb: number;
  /** Of buffers, which the heap's limit does not count: looked at every few milliseconds. */
  readonly bufferBytes: number;
  /** Milliseconds of processor time and idleness together. */
  readonly workMs: number;
}

/** Milliseconds without a task after which the thread ends. */
const idleMs = 30_000;
const lookMs = 20;
/** By the clock a task may take so many times its limit of time, however little the thread got to run. */
const patience = 10;

/** `broke-down`: the work threw where nobody could catch it. */
export type Overrun = 'too-slow' | 'too-much-memory' | 'broke-down';

export class BudgetedThread<Task, Answer> {
  readonly #file: URL;
  readonly #budget: Budget;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @param file of the thread: it answers each message with one */
  constructor(file: URL, budget: Budget) {
    this.#file = file;
    this.#budget = budget;
  }

  /**
   * The answer, or what the task passed.
   * @param moved buffers of the task that the thread takes over
   */
  run(task: Task, moved: readonly ArrayBuffer[] = []): Promise<Answer | Overrun> {
    const mine = this.#last.then(() => this.#run(task, moved));
    // A task that could not be begun keeps no other from its turn.
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #run(task: Task, moved: readonly ArrayBuffer[]): Promise<Answer | Overrun> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const thread = (this.#thread ??= this.#start());
    thread.ref();
    const overrun = Promise.withResolvers<Overrun>();
    const answer = Promise.withResolvers<Answer>();
    const deadline = setTimeout(() => overrun.resolve('too-slow'), patience * this.#budget.workMs);
    const over = new AbortController();
    void this.#watch(thread, over.signal).then((passed) => {
      if (passed !== null) overrun.resolve(passed);
    });
    const failed = (error: Error & { code?: unknown }): void => {
      this.#thread = null;
      overrun.resolve(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too-much-memory' : 'broke-down');
    };
    thread.once('message', answer.resolve);
    thread.once('error', failed);
    try {
      thread.postMessage(task, moved);
      return await Promise.race([
        answer.promise,
        overrun.promise.then(async (passed) => {
          this.#thread = null;
          await thread.terminate();
          return passed;
        }),
      ]);
    } finally {
      over.abort();
      clearTimeout(deadline);
      thread.off('message', answer.resolve);
      thread.off('error', failed);
      thread.unref();
      this.#rest();
    }
  }

  /** Looks until the task is over, or has passed what it may take. A thread that stands still answers no look. */
  async #watch(thread: Worker, over: AbortSignal): Promise<Overrun | null> {
    const { workMs, bufferBytes } = this.#budget;
    const before = process.memoryUsage.rss();
    const began = await workedMs(thread);
    for (;;) {
      const [worked, bytes] = await Promise.all([workedMs(thread), buffersOf(thread, before)]);
      // A look that is answered late must not end the task that came next.
      if (over.aborted) return null;
      if (bytes > bufferBytes) return 'too-much-memory';
      if (worked - began > workMs) return 'too-slow';
      await after(lookMs);
    }
  }

  #start(): Worker {
    const thread = new Worker(this.#file, {
      resourceLimits: { maxOldGenerationSizeMb: this.#budget.heapMb },
      // The process's own flags are for its main thread.
      execArgv: [],
    });
    thread.on('error', () => undefined);
    // Something that a task left running may end the thread between two tasks.
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = null;
    });
    return thread;
  }

  #rest(): void {
    this.#idle = setTimeout(() => {
      void this.#thread?.terminate();
      this.#thread = null;
    }, idleMs).unref();
  }
}

/** Several such threads. Tasks begin in the order in which they came, each in the next thread that is free. */
export class BudgetedThreads<Task, Answer> {
  readonly #free: BudgetedThread<Task, Answer>[];
  readonly #waiting: ((free: BudgetedThread<Task, Answer>) => void)[] = [];

  /** @param most threads that work at a time */
  constructor(file: URL, budget: Budget, most: number) {
    this.#free = Array.from({ length: most }, () => new BudgetedThread<Task, Answer>(file, budget));
  }

  async run(...task: Parameters<BudgetedThread<Task, Answer>['run']>): Promise<Answer | Overrun> {
    const thread =
      this.#free.pop() ??
      (await new Promise<BudgetedThread<Task, Answer>>((free) => this.#waiting.push(free)));
    try {
      return await thread.run(...task);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(thread);
      else next(thread);
    }
  }
}

/** Bytes of a thread's buffers; in a Node that does not tell them, the bytes by which the process has grown. */
async function buffersOf(thread: Worker, before: number): Promise<number> {
  const told = thread as { getHeapStatistics?: () => Promise<{ external_memory: number }> };
  if (told.getHeapStatistics === undefined) return process.memoryUsage.rss() - before;
  try {
    return (await told.getHeapStatistics()).external_memory;
  } catch {
    // The thread has ended.
    return 0;
  }
}

/** Milliseconds that a thread has worked and waited; in a Node that does not tell them, the time by the clock. */
async function workedMs(thread: Worker): Promise<number> {
  const told = thread as { cpuUsage?: () => Promise<NodeJS.CpuUsage> };
  if (told.cpuUsage === undefined) return performance.now();
  try {
    const { user, system } = await told.cpuUsage();
    return (user + system) / 1_000 + thread.performance.eventLoopUtilization().idle;
  } catch {
    // The thread has ended.
    return 0;
  }
}
