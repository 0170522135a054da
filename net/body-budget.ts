/**
 * Room for bodies: how many bytes of large ones a process holds at a time, from the first byte that is read to the one
 * that is stored, however many hosts send them.
 *
 * An exchange takes all the room its body may come to need at once, before it has more than `freeBytes` of it, or waits
 * in line with the host held back; so nobody who has room ever waits for more, and a line always moves on. Who waits
 * holds no more than `freeBytes`. First come, first served: small bodies need no room, and no large one is passed over.
 */

/** Bytes of a body that need no room: most bodies are smaller. */
export const freeBytes = 256 * 1024;

interface Place {
  readonly bytes: number;
  readonly granted: () => void;
}

export class BodyBudget {
  readonly #bytes: number;
  #taken = 0;
  /** In the order they came; a Set, since any of them may leave. */
  readonly #line = new Set<Place>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Bytes taken now. */
  get taken(): number {
    return this.#taken;
  }

  /** Exchanges in line. */
  get waiting(): number {
    return this.#line.size;
  }

  /** Room for one body, of which nothing is taken yet. */
  open(): BodyRoom {
    let held = 0;
    let place: Place | null = null;
    const giveBack = (bytes: number): void => {
      held -= bytes;
      this.#taken -= bytes;
      this.#moveOn();
    };
    /** More than there is at all would never be granted: it gets everything. */
    const fitting = (bytes: number): number => Math.min(bytes, this.#bytes);
    const grant = (bytes: number): void => {
      held = bytes;
      this.#taken += bytes;
    };
    return {
      take: (wanted) => {
        const bytes = fitting(wanted);
        if (this.#line.size > 0 || this.#taken + bytes > this.#bytes) return false;
        grant(bytes);
        return true;
      },
      queue: (wanted, granted) => {
        const own: Place = {
          bytes: fitting(wanted),
          granted: () => {
            place = null;
            grant(own.bytes);
            granted();
          },
        };
        place = own;
        this.#line.add(own);
        this.#moveOn();
      },
      keep: (bytes) => {
        if (bytes < held) giveBack(held - bytes);
      },
      release: () => {
        if (place !== null) this.#line.delete(place);
        place = null;
        giveBack(held);
      },
    };
  }

  #moveOn(): void {
    for (const place of this.#line) {
      if (this.#taken + place.bytes > this.#bytes) return;
      this.#line.delete(place);
      place.granted();
    }
  }
}

/** Taken once, or waited for once; given back by `release`, which may be called at any time and again. */
export interface BodyRoom {
  /** All that the body may come to need, now, or nothing. */
  take(bytes: number): boolean;
  /** Waits in line; `granted` is called when the room is taken, perhaps at once. */
  queue(bytes: number, granted: () => void): void;
  /** Gives back what goes beyond `bytes`. */
  keep(bytes: number): void;
  release(): void;
}
