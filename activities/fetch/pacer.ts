/**
 * One host's pace within a slice: who may send the next request, and when. Everything that goes to the host passes
 * through `exchange`, robots.txt included, so that no two requests are in flight and none is too soon.
 */
import type { Fetcher, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { earliestStart } from '../../domain/pace.ts';
import type { HostLease } from './lease-keeper.ts';
import { sleep } from './sleep.ts';

/** Why a fetch ended without telling anything about the host. */
class LeaseOver extends Error {
  constructor() {
    super('the lease of the host is over');
  }
}

export class HostPacer {
  readonly lease: HostLease;
  readonly #fetcher: Fetcher;
  readonly #signal: AbortSignal;
  delayMs: number;
  /** Requests sent so far. */
  sent = 0;
  /** The last exchange, on the clock of `performance.now()`; the delay counts from it, whatever it has become since. */
  #last: { readonly headAt: number; readonly endAt: number } | null = null;
  /** `performance.now()` before which nothing is sent for other reasons than pace. */
  #heldOffUntil: number;

  /** @param waitMs milliseconds from now until the first request may start. */
  constructor(lease: HostLease, fetcher: Fetcher, delayMs: number, waitMs: number, signal: AbortSignal) {
    this.lease = lease;
    this.#fetcher = fetcher;
    this.#signal = signal;
    this.delayMs = delayMs;
    this.#heldOffUntil = performance.now() + waitMs;
  }

  /** Milliseconds until the next request may start. */
  get waitMs(): number {
    const paced = this.#last === null ? 0 : earliestStart(this.#last, this.delayMs);
    return Math.max(0, this.#heldOffUntil - performance.now(), paced - performance.now());
  }

  /** The host is left alone for this long. */
  holdOff(waitMs: number): void {
    this.#heldOffUntil = Math.max(this.#heldOffUntil, performance.now() + waitMs);
  }

  /** Sends one request when its time has come. null: none was sent, or the lease ran out before its answer was in. */
  async exchange(request: FetchRequest): Promise<FetchResult | null> {
    while (this.waitMs > 0) {
      if (this.#signal.aborted || this.lease.held === null) return null;
      await sleep(Math.min(this.waitMs, 1_000), this.#signal);
    }
    if (this.#signal.aborted || !this.lease.mayStart) return null;
    this.sent++;
    const result = await this.#withinLease(request);
    if (result === null) this.#last = { headAt: performance.now(), endAt: performance.now() };
    else if (result.kind === 'response') this.#last = result;
    else if (result.fault !== 'address-refused') this.#last = { headAt: result.endAt, endAt: result.endAt };
    return result;
  }

  /**
   * The last look is taken when the connection stands and the bytes are about to leave: a process that was frozen
   * while it connected stops there. An exchange that outlives its lease is broken off, since the next holder counts on
   * it; a lease that is renewed goes on.
   */
  async #withinLease(request: FetchRequest): Promise<FetchResult | null> {
    const breakOff = new AbortController();
    const watch = setInterval(() => {
      if (!this.lease.isHeld) breakOff.abort(new LeaseOver());
    }, 500);
    try {
      return await this.#fetcher.fetch({
        ...request,
        signal: breakOff.signal,
        maySend: () => {
          const may = this.lease.mayStart;
          if (!may) breakOff.abort(new LeaseOver());
          return may;
        },
      });
    } catch (error) {
      if (breakOff.signal.aborted) return null;
      throw error;
    } finally {
      clearInterval(watch);
    }
  }
}
