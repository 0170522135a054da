/**
 * Gathers what many callers want to be made durable, so that one transaction or one sync serves them all (group commit).
 * One batch is worked at a time. A caller that need not have its answer soon says so, and is gathered for longer: the
 * slower the hosts, the more of them share a commit. After a batch of one, the next caller waits for no others.
 */

/** Milliseconds for which the most patient callers are gathered. */
const longestMs = 200;

export class Gathering<T> {
  readonly #take: (waiting: readonly T[]) => number;
  readonly #work: (batch: readonly T[]) => Promise<void>;
  readonly #leastMs: number;
  readonly #waiting: T[] = [];
  #dueAt = Infinity;
  #timer: NodeJS.Timeout | undefined;
  #working = false;
  /** Had the last batch one caller only? */
  #alone = false;

  /**
   * @param take how many of the first that wait make a batch, at least 1
   * @param work must not reject
   * @param leastMs milliseconds for which everybody is gathered, where there are others
   */
  constructor(
    take: (waiting: readonly T[]) => number,
    work: (batch: readonly T[]) => Promise<void>,
    leastMs: number,
  ) {
    this.#take = take;
    this.#work = work;
    this.#leastMs = leastMs;
  }

  /** @param patienceMs milliseconds for which the caller does without an answer; bounded at both ends */
  add(item: T, patienceMs: number): void {
    this.#waiting.push(item);
    const waitMs = Math.max(this.#floorMs, Math.min(longestMs, patienceMs));
    const dueAt = performance.now() + waitMs;
    if (dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    this.#schedule();
  }

  get #floorMs(): number {
    return this.#alone ? 0 : this.#leastMs;
  }

  #schedule(): void {
    if (this.#working) return;
    clearTimeout(this.#timer);
    const waitMs = Math.max(this.#floorMs, this.#dueAt - performance.now());
    this.#timer = setTimeout(() => void this.#workOne(), waitMs);
  }

  async #workOne(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#take(this.#waiting));
    this.#alone = batch.length === 1 && this.#waiting.length === 0;
    this.#dueAt = this.#waiting.length > 0 ? performance.now() : Infinity;
    this.#working = true;
    try {
      await this.#work(batch);
    } finally {
      this.#working = false;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
