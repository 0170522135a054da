/** Batches of seeds are admitted a few at a time, in fair turns by tenant: millions of one hold up nobody's five. */
import { FairQueue } from '../../domain/fair-queue.ts';

export class SeedingTurns {
  /** Each answers whether it takes the place that is offered: those who left do not. */
  readonly #waiting = new FairQueue<() => boolean>();
  #free: number;

  /** @param places batches that are admitted at a time */
  constructor(places: number) {
    this.#free = places;
  }

  /** Null: `signal` came before the turn did. */
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
