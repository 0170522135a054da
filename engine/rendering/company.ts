/**
 * Which rounds a process has under way, over all its lanes: many beside one another, or one alone. A page in which a
 * process was lost goes alone, so that no other is taken for it.
 */
export class Company {
  readonly #rounds = new Set<Promise<void>>();
  /** The last of those that go alone; null: none is under way or waits. */
  #alone: Promise<void> | null = null;

  /** Waits for those that go alone. */
  async beside(round: () => Promise<void>): Promise<void> {
    while (this.#alone !== null) await this.#alone;
    const running = round();
    const ended = settled(running);
    this.#rounds.add(ended);
    await ended;
    this.#rounds.delete(ended);
    return running;
  }

  /** Waits for all that are under way; those that come meanwhile wait for it. */
  alone(round: () => Promise<void>): Promise<void> {
    const before = this.#alone;
    const running = (async () => {
      await before;
      await Promise.all(this.#rounds);
      await round();
    })();
    const ended = settled(running).then(() => {
      if (this.#alone === ended) this.#alone = null;
    });
    this.#alone = ended;
    return running;
  }
}

/** Whether it failed is for the caller to hear. */
const settled = (round: Promise<void>): Promise<void> => round.catch(() => undefined);
