/**
 * Start-time fair queuing (Goyal, Vin and Cheng, 1996): items that wait for a turn, by flow. A flow that had many turns
 * waits for the others. A new flow starts where the others are now: it neither waits for their past turns, nor is it
 * owed turns for the time before it came.
 */
export class FairQueue<T> {
  /** For each flow, the start of its next turn, in units of cost. */
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

  /**
   * Removes and returns the item with the earliest start; of equal items, the one that was added first. Undefined: no
   * item waits.
   */
  take(): T | undefined {
    let first = 0;
    for (const [at, { start }] of this.#waiting.entries())
      if (start < (this.#waiting[first]?.start ?? Infinity)) first = at;
    const [taken] = this.#waiting.splice(first, 1);
    if (taken === undefined) return undefined;
    this.#now = taken.start;
    // A flow that is behind starts at `#now` anyway, so its entry is not needed.
    for (const [flow, next] of this.#next) if (next <= this.#now) this.#next.delete(flow);
    return taken.item;
  }

  /** Removes an item that waits no more. Its flow has had the turn all the same. */
  drop(item: T): void {
    const at = this.#waiting.findIndex((one) => one.item === item);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
