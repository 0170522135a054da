/**
 * How many hosts this process works: those that it visited in the last five to ten minutes. The leases held at an instant
 * would tell too few: a process that does not get round to its hosts holds few, and should do more at each, not less.
 */
const generationMs = 300_000;

export class Census {
  #present = new Set<string>();
  #before = new Set<string>();
  #turnsAt: number;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#turnsAt = now() + generationMs;
  }

  /** Notes a visit. Returns the number of hosts, this one included. */
  visited(hostId: string): number {
    const now = this.#now();
    if (now >= this.#turnsAt) {
      this.#before = now >= this.#turnsAt + generationMs ? new Set() : this.#present;
      this.#present = new Set();
      this.#turnsAt = now + generationMs;
    }
    this.#before.delete(hostId);
    this.#present.add(hostId);
    return this.#present.size + this.#before.size;
  }
}
