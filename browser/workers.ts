/**
 * The workers of a page. The page's time does not stand for them, and they may be starting when it has run out: so the
 * page waits for them, in between.
 */
import { unlessOver } from './devtools.ts';
import type { Session } from './devtools.ts';

/** Milliseconds by the clock that a page waits for one of its workers. */
const workerMs = 200;

export class Workers {
  readonly #all = new Map<Session, Promise<void>>();

  /** @param ready resolves once it runs */
  begun(worker: Session, ready: Promise<void>): void {
    this.#all.set(worker, ready);
  }

  /** Resolves when each has done what it had to do. One that takes too long is waited for no more. */
  async wait(): Promise<void> {
    for (const [worker, ready] of this.#all) {
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const timer = setTimeout(() => resolve('late'), workerMs);
      const done = ready.then(() => worker.send('Runtime.evaluate', { expression: '0' })).catch(unlessOver);
      if ((await Promise.race([done, late])) === 'late') this.#all.delete(worker);
      clearTimeout(timer);
    }
  }
}
