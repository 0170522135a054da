/** Numbers in [0, 1) that depend on nothing but the seed (mulberry32), so that a decision can be made again. */
export class SeededRandom {
  #state: number;

  /** @param state 32 bits: a seed, or what `state` answered */
  constructor(state: number) {
    this.#state = state | 0;
  }

  /** Goes on from here when it is given to a new one. */
  get state(): number {
    return this.#state;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
