/**
 * Turns at something that many flows share: so many at once, of all and of each flow, and so many that may wait. Whose
 * turn is next is decided by fair queuing, so a flow with a long line waits for itself alone.
 *
 * A turn waits in the line of its flow, is offered (the first of a line whose flow has fewer than its share of turns),
 * has begun, or is over. Only offered turns are in the fair queue, so that a flow with its share keeps nobody back.
 */
import { FairQueue } from './fair-queue.ts';

export interface TurnBounds {
  /** Turns at once. */
  readonly atOnce: number;
  readonly atOnceOfOne: number;
  /** Turns that may wait; a further one is refused. */
  readonly waiting: number;
  readonly waitingOfOne: number;
}

export interface Turn {
  readonly begins: Promise<void>;
  /** The turn is over, or is not wanted any more. Must be called once it is; further calls do nothing. */
  end(): void;
}

/** Why there is no turn: so many of the flow wait, or so many of all. */
export type NoTurn = 'full-for-one' | 'full';

interface Waiter {
  state: 'waiting' | 'offered' | 'begun' | 'over';
  readonly own: Flow;
  /** Counts among those of all flows that wait. */
  readonly hasAsked: boolean;
  readonly begin: () => void;
}

interface Flow {
  /** Turns that were offered or have begun. */
  taken: number;
  waiting: number;
  /** In the order in which they came, those that gave up among them. */
  readonly line: Waiter[];
}

export class FairTurns {
  readonly #bounds: TurnBounds;
  readonly #flows = new Map<number, Flow>();
  readonly #offered = new FairQueue<Waiter>();
  #begun = 0;
  #waiting = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  ask(flow: number): Turn | NoTurn {
    const { atOnce, atOnceOfOne, waiting, waitingOfOne } = this.#bounds;
    const { taken, waiting: waitingNow } = this.#flows.get(flow) ?? { taken: 0, waiting: 0 };
    if (taken >= atOnceOfOne || this.#begun >= atOnce) {
      if (waitingNow >= waitingOfOne) return 'full-for-one';
      if (this.#waiting >= waiting) return 'full';
    }
    return this.#enter(flow, true);
  }

  /**
   * As `ask`, however many wait: for the parts of a work that has been let in, and that something else bounds. They are in
   * the way of no other flow that asks.
   */
  join(flow: number): Turn {
    return this.#enter(flow, false);
  }

  #enter(flow: number, hasAsked: boolean): Turn {
    const own = this.#flows.get(flow) ?? { taken: 0, waiting: 0, line: [] };
    this.#flows.set(flow, own);
    const { promise: begins, resolve } = Promise.withResolvers<undefined>();
    const waiter: Waiter = { state: 'waiting', own, hasAsked, begin: () => { resolve(undefined); } }; // prettier-ignore
    own.line.push(waiter);
    this.#count(waiter, 1);
    this.#passOn(flow, own);
    return {
      begins,
      end: () => {
        const { state } = waiter;
        if (state === 'over') return;
        waiter.state = 'over';
        if (state === 'begun') this.#begun--;
        else this.#count(waiter, -1);
        if (state === 'offered') this.#offered.drop(waiter);
        if (state !== 'waiting') own.taken--;
        this.#passOn(flow, own);
      },
    };
  }

  #count({ own, hasAsked }: Waiter, more: number): void {
    own.waiting += more;
    if (hasAsked) this.#waiting += more;
  }

  #passOn(flow: number, own: Flow): void {
    while (own.taken < this.#bounds.atOnceOfOne && own.line.length > 0) {
      const next = own.line.shift();
      if (next?.state !== 'waiting') continue;
      next.state = 'offered';
      own.taken++;
      this.#offered.add(flow, 1, next);
    }
    if (own.taken === 0) this.#flows.delete(flow);
    while (this.#begun < this.#bounds.atOnce) {
      const next = this.#offered.take();
      if (next === undefined) return;
      next.state = 'begun';
      this.#begun++;
      this.#count(next, -1);
      next.begin();
    }
  }
}
