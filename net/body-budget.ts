/**
 * Room for bodies: bounds how many bytes of large bodies a process holds at a time, however many hosts send them. A body
 * holds its room from the first byte that is read until the last one is stored.
 *
 * Before an exchange has read more than `freeBytes` of its body, the exchange takes all the room that the body may come
 * to need, or waits in line and reads no further. An exchange that has room therefore never waits for more, and the line
 * always moves on. First come, first served: small bodies need no room, and no large one is passed over.
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
    /** A body that asks for more than the whole budget gets the whole budget: more would never be granted. */
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

/** Room for one body. Call `take` or `queue` once; `release` may be called at any time, and again. */
export interface BodyRoom {
  /** Takes all that the body may come to need. False: there is not so much room now, and nothing is taken. */
  take(bytes: number): boolean;
  /** Waits in line; `granted` is called when the room is taken, perhaps at once. */
  queue(bytes: number, granted: () => void): void;
  /** Gives back what goes beyond `bytes`. */
  keep(bytes: number): void;
  release(): void;
}
