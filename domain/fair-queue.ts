/**
 * Start-time fair queuing (Goyal, Vin and Cheng, 1996): who waits for a turn, by flow. A flow that had much waits for the
 * others; one that comes anew starts where the others are, so that it neither waits for their past nor is owed its own.
 */
export class FairQueue<T> {
  /** Where each flow's next turn starts, in units of cost. */
  readonly #next = new Map<number, number>();
  readonly #waiting: { readonly start: number; readonly item: T }[] = [];
  #now = 0;

  get length(): number {
    return this.#waiting.length;
  }

  /** @param cost of the turn, more than 0, in a unit that all flows share */
  add(flow: number, cost: number, item: T): void {
    const start = Math.max(this.#now, this.#next.get(flow) ?? 0);
    this.#next.set(flow, start + cost);
    this.#waiting.push({ start, item });
  }

  /** Whose turn it is: the earliest start, and of those the one that waited longest. Undefined: nobody waits. */
  take(): T | undefined {
    let first = 0;
    for (const [at, { start }] of this.#waiting.entries())
      if (start < (this.#waiting[first]?.start ?? Infinity)) first = at;
    const [taken] = this.#waiting.splice(first, 1);
    if (taken === undefined) return undefined;
    this.#now = taken.start;
    // Flows that are behind start where the others are in any case.
    for (const [flow, next] of this.#next) if (next <= this.#now) this.#next.delete(flow);
    return taken.item;
  }
}
