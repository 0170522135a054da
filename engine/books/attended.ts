/** Renews something again and again while anybody works by it, so that a request that connects slowly has a fresh copy. */
export class Attended {
  readonly #everyMs: number;
  readonly #renew: () => Promise<unknown>;
  #working = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param renew may reject: the copy stays as old as it is, and whoever looks at its age sees that */
  constructor(everyMs: number, renew: () => Promise<unknown>) {
    this.#everyMs = everyMs;
    this.#renew = renew;
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#working++;
    this.#timer ??= setInterval(() => void this.#renew().catch(() => undefined), this.#everyMs);
    try {
      return await work();
    } finally {
      if (--this.#working === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }
}
