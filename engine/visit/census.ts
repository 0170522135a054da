/**
 * How many hosts this process works: those that it visited lately. The leases held at an instant would tell too few: a
 * process that does not get round to its hosts holds few, and should do more at each, not less.
 */
export class Census {
  #present = new Set<string>();
  #before = new Set<string>();
  #turnsAt: number;
  readonly #generationMs: number;
  readonly #now: () => number;

  /** @param generationMs a host counts for so long after its last visit at least, and for twice as long at most */
  constructor(generationMs: number, now: () => number = () => performance.now()) {
    this.#generationMs = generationMs;
    this.#now = now;
    this.#turnsAt = now() + generationMs;
  }

  /** Notes a visit. Returns the number of hosts, this one included. */
  visited(hostId: string): number {
    const now = this.#now();
    if (now >= this.#turnsAt) {
      this.#before = now >= this.#turnsAt + this.#generationMs ? new Set() : this.#present;
      this.#present = new Set();
      this.#turnsAt = now + this.#generationMs;
    }
    this.#before.delete(hostId);
    this.#present.add(hostId);
    return this.#present.size + this.#before.size;
  }
}
