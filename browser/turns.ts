/**
 * In which order the requests of a page are answered: one after another, those of the page before those of its frames.
 * Were they answered as soon as they can be, the scripts that wait for them would run in another order in each round.
 */

/**
 * Milliseconds that the next request waits for the page to have taken the answer before it. A script that waits for its
 * answer while nothing else runs says that it has it only after it has asked for the next.
 */
const takenMs = 50;

interface Turn {
  readonly rank: number;
  readonly answer: () => Promise<void>;
  readonly taken: Promise<void>;
}

export class Turns {
  readonly #waiting: Turn[] = [];
  readonly #taking = new Map<string, () => void>();
  #serving: Promise<void> | null = null;

  /**
   * @param rank the lowest first, in the order in which they come
   * @param id by which `taken` tells that the page has its answer
   * @param answer never rejects
   */
  add(rank: number, id: string, answer: () => Promise<void>): void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#taking.set(id, () => resolve(undefined));
    const turn = { rank, answer, taken: promise };
    const before = this.#waiting.findIndex((each) => each.rank > rank);
    this.#waiting.splice(before === -1 ? this.#waiting.length : before, 0, turn);
    this.#serving ??= this.#serve();
  }

  /** Resolves when all is answered that has been asked. */
  idle(): Promise<void> {
    return this.#serving ?? Promise.resolve();
  }

  /** The page has its answer. */
  taken(id: string): void {
    this.#taking.get(id)?.();
    this.#taking.delete(id);
  }

  async #serve(): Promise<void> {
    for (let turn = this.#waiting.shift(); turn !== undefined; turn = this.#waiting.shift()) {
      await turn.answer();
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => resolve(undefined), takenMs);
      await Promise.race([turn.taken, late]);
      clearTimeout(timer);
    }
    this.#serving = null;
  }
}
