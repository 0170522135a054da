/**
 * What one exchange has of the room for bodies: nothing yet, a place in line, or room. The room stays with the body after
 * the exchange is over.
 */
import { freeBytes, type BodyBudget, type BodyRoom } from './body-budget.ts';

/** Most milliseconds in line: meanwhile the host is kept waiting in the middle of its response. */
const lineMs = 30_000;

/** A time limit that can stand still. */
export class Clock {
  readonly #onLate: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** On the clock of `performance.now()`. */
  #lateAt: number;

  constructor(ms: number, onLate: () => void) {
    this.#onLate = onLate;
    this.#lateAt = performance.now() + ms;
    this.go(ms);
  }

  /** Answers the milliseconds that are left, for `go`. */
  stop(): number {
    clearTimeout(this.#timer);
    return this.#lateAt - performance.now();
  }

  go(ms: number): void {
    this.#lateAt = performance.now() + ms;
    this.#timer = setTimeout(this.#onLate, ms);
  }
}

export class BodyClaim {
  readonly #budget: BodyBudget;
  readonly #clock: Clock;
  readonly #onTooLong: () => void;
  #room: BodyRoom | null = null;
  /** In line: ends the wait, and lets the clock run on. */
  #leaveLine: (() => void) | null = null;

  /** @param onTooLong called if this body has waited in line for 30 s in vain */
  constructor(budget: BodyBudget, clock: Clock, onTooLong: () => void) {
    this.#budget = budget;
    this.#clock = clock;
    this.#onTooLong = onTooLong;
  }

  /** The exchange has taken room, or waits for room. */
  get made(): boolean {
    return this.#room !== null;
  }

  /** Takes all the room that the body may come to need. False: other bodies wait already, or there is too little. */
  take(bytes: number): boolean {
    this.#room = this.#budget.open();
    return this.#room.take(bytes);
  }

  /** Waits in line with the clock stopped: the wait is for other hosts' bodies. */
  wait(bytes: number, granted: () => void): void {
    const leftMs = this.#clock.stop();
    const tooLong = setTimeout(this.#onTooLong, lineMs);
    const leave = (): void => {
      clearTimeout(tooLong);
      this.#leaveLine = null;
      this.#clock.go(leftMs);
    };
    this.#leaveLine = leave;
    this.#room?.queue(bytes, () => {
      leave();
      granted();
    });
  }

  /** The body is read, and has this size. Answers the function that gives its room back; null: it needs no room. */
  handOver(bytes: number): (() => void) | null {
    const room = this.#room;
    if (room === null || bytes <= freeBytes) return null;
    this.#room = null;
    room.keep(bytes);
    return () => {
      room.release();
    };
  }

  /** Leaves the line, or gives back what was not handed over. */
  release(): void {
    this.#room?.release();
    this.#room = null;
    this.#leaveLine?.();
  }

  get inLine(): boolean {
    return this.#leaveLine !== null;
  }
}
