/**
 * One host's pace within a slice: who may send the next request, and when. Everything that goes to the host passes
 * through `exchange`, robots.txt included, so that no two requests are in flight and none is too soon.
 */
import type { Fetcher, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { earliestStart } from '../../domain/pace.ts';
import type { HostLease } from './lease-keeper.ts';
import { sleep } from './sleep.ts';

export class HostPacer {
  readonly lease: HostLease;
  readonly #fetcher: Fetcher;
  readonly #signal: AbortSignal;
  delayMs: number;
  /** `performance.now()` from which the next request may start. */
  #readyAt: number;

  /** @param waitMs milliseconds from now until the first request may start. */
  constructor(lease: HostLease, fetcher: Fetcher, delayMs: number, waitMs: number, signal: AbortSignal) {
    this.lease = lease;
    this.#fetcher = fetcher;
    this.#signal = signal;
    this.delayMs = delayMs;
    this.#readyAt = performance.now() + waitMs;
  }

  /** Milliseconds until the next request may start. */
  get waitMs(): number {
    return Math.max(0, this.#readyAt - performance.now());
  }

  /** Sends one request when its time has come. null: none was sent, the lease is gone or the slice must end. */
  async exchange(request: FetchRequest): Promise<FetchResult | null> {
    while (this.waitMs > 0) {
      if (this.#signal.aborted || this.lease.held === null) return null;
      await sleep(Math.min(this.waitMs, 1_000), this.#signal);
    }
    // Last look before the bytes go out: a process that was frozen in the wait stops here.
    if (this.#signal.aborted || !this.lease.mayStart) return null;
    const result = await this.#fetcher.fetch(request);
    if (result.kind === 'response') this.#readyAt = earliestStart(result, this.delayMs);
    else if (result.fault !== 'address-refused') this.#readyAt = result.endAt + this.delayMs;
    return result;
  }

  /** The host is left alone for this long. */
  holdOff(waitMs: number): void {
    this.#readyAt = Math.max(this.#readyAt, performance.now() + waitMs);
  }
}
