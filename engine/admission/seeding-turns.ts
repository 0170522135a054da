/** Admits batches of seeds a few at a time, in fair turns by tenant: a million seeds do not hold up another's five. */
import { FairQueue } from '../../domain/fair-queue.ts';

export class SeedingTurns {
  /** Each item offers a place to one waiter. It returns whether the waiter takes the place: one that left does not. */
  readonly #waiting = new FairQueue<() => boolean>();
  #free: number;

  /** @param places most batches admitted at a time */
  constructor(places: number) {
    this.#free = places;
  }

  /** Runs `work` when its turn comes. Null: `signal` was aborted before that. */
  async take<T>(tenantId: number, signal: AbortSignal, work: () => Promise<T>): Promise<T | null> {
    if (this.#free > 0) this.#free--;
    else if (!(await this.#wait(tenantId, signal))) return null;
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #wait(tenantId: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      let waits = true;
      const end = (mine: boolean) => (): boolean => {
        const waited = waits;
        waits = false;
        signal.removeEventListener('abort', left);
        if (waited) resolve(mine);
        return waited;
      };
      const left = end(false);
      signal.addEventListener('abort', left);
      this.#waiting.add(tenantId, 1, end(true));
      if (signal.aborted) left();
    });
  }

  #passOn(): void {
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) if (next()) return;
    this.#free++;
  }
}
