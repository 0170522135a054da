/**
 * One host's pace within a slice: who may send the next request, and when. Everything that goes to the host passes
 * through `exchange`, robots.txt included, so that none is too soon, none leaves while the host is closed or over its
 * quota, and no two are in flight, but where an operator allows several (lanes.ts).
 */
import {
  NoRoomForBody,
  type Fetcher,
  type FetchRequest,
  type FetchResult,
} from '../../contracts/fetching.ts';
import { adaptedDelayMs, earliestStart, type Exchanged } from '../../domain/pace.ts';
import type { OptOutBook } from '../books/opt-out-book.ts';
import type { Pace } from '../../domain/host-delay.ts';
import type { HostLease } from './lease-keeper.ts';
import type { Lane } from './lanes.ts';
import { sleep } from './sleep.ts';

/** Whose turn a request is, and what may still keep it back (gates.ts). */
export interface Turn {
  /** Milliseconds until it has come, whatever the host's own pace is. */
  readonly waitMs: () => number;
  /** Asked once a second while the request waits for its time. */
  readonly stays: () => Promise<boolean>;
  /** The last look: before it is counted, and again when its bytes are about to leave. */
  readonly mayLeave: (counted: boolean) => boolean;
  /** The request was answered; or has left, where several are in flight. */
  readonly taken: (at: Exchanged) => void;
}

/** Until the crawls are known that come to the host. */
const noPace: Pace = { delayMs: 0, factor: null };

/** How long a host is left alone whose body this process had no room for. */
const noRoomMs = 10_000;

/** Why a fetch ended without telling anything about the host. */
class LeaseOver extends Error {
  constructor() {
    super('the lease of the host is over');
  }
}

export class HostPacer {
  readonly lease: HostLease;
  readonly #fetcher: Fetcher;
  readonly #optOuts: Pick<OptOutBook, 'attend'>;
  readonly #signal: AbortSignal;
  pace = noPace;
  /** Requests sent so far. */
  sent = 0;
  /** The last exchange, on the clock of `performance.now()`; the delay counts from it, whatever it has become since. */
  #last: Exchanged | null = null;
  /** Settled once the request before is under way, or over: one after another they wait for their time. */
  #starting: Promise<undefined> = Promise.resolve(undefined);
  /** What the last answer took, from the request's leaving to its end. */
  #tookMs: number | null = null;
  /** What the last slice found that the host's pace asks for. */
  readonly #owedUntil: number;
  /** `performance.now()` before which nothing is sent for other reasons than pace. */
  #heldOffUntil: number;

  constructor(lease: HostLease, fetcher: Fetcher, optOuts: Pick<OptOutBook, 'attend'>, signal: AbortSignal) {
    this.lease = lease;
    this.#fetcher = fetcher;
    this.#optOuts = optOuts;
    this.#signal = signal;
    this.#heldOffUntil = performance.now() + lease.taken.held_ms;
    const { pace_ms: owedMs, asked_ago_ms: agoMs, took_ms: tookMs, unclean } = lease.taken;
    this.#owedUntil = performance.now() + owedMs;
    if (agoMs === null && !unclean) return;
    // Whoever had the lease before and did not return it may have a request in flight: it counts from now. And a clock
    // that was set back must not make the last request one of the future.
    const headAt = performance.now() - (unclean ? 0 : Math.max(0, agoMs ?? 0));
    this.#last = { headAt, endAt: headAt };
    this.#tookMs = tookMs;
    if (unclean) lease.asked = { headAt, tookMs };
  }

  /** What the host's last answer took; null: none is known. */
  get tookMs(): number | null {
    return this.#tookMs;
  }

  /** The last exchange with the host; null: none is known. */
  get last(): Exchanged | null {
    return this.#last;
  }

  /** Milliseconds between requests at present. */
  get delayMs(): number {
    return adaptedDelayMs(this.pace.delayMs, this.pace.factor, this.#tookMs);
  }

  /** Milliseconds until the next request may start. */
  get waitMs(): number {
    return Math.max(this.heldMs, this.paceMs);
  }

  /** The part of it that is pace: the delay since the last request. */
  get paceMs(): number {
    const paced = this.#last === null ? 0 : earliestStart(this.#last, this.delayMs);
    return Math.max(0, Math.max(paced, this.#owedUntil) - performance.now());
  }

  /** The part of it that has other reasons. */
  get heldMs(): number {
    return Math.max(0, this.#heldOffUntil - performance.now());
  }

  /** The host is left alone for this long. */
  holdOff(waitMs: number): void {
    this.#heldOffUntil = Math.max(this.#heldOffUntil, performance.now() + waitMs);
  }

  /**
   * Sends one request when its time has come. null: none was sent (a gate has closed meanwhile), or the lease ran out, or this process had no room for its body, before its answer was in.
   * One that the server most likely never looked at is sent once more when its time has come again: neither URL nor
   * host is to blame, and the second has a connection of its own.
   * @param lane given where the next may leave before the answer to this one is in
   */
  async exchange(request: FetchRequest, turn: Turn, lane?: Lane): Promise<FetchResult | null> {
    const result = await this.#send(request, turn, lane);
    const unheard = result?.kind === 'fault' && result.repeatable === true;
    return unheard ? this.#send(request, turn, lane) : result;
  }

  async #send(request: FetchRequest, turn: Turn, lane: Lane | undefined): Promise<FetchResult | null> {
    const before = this.#starting;
    const start = Promise.withResolvers<undefined>();
    this.#starting = start.promise;
    await before;
    try {
      for (;;) {
        const waitMs = Math.max(this.waitMs, turn.waitMs());
        if (waitMs === 0) break;
        if (this.#signal.aborted || !(await turn.stays())) return null;
        await sleep(Math.min(waitMs, 1_000), this.#signal);
      }
      if (this.#signal.aborted || !(await turn.stays())) return null;
      const sent = lane === undefined ? request : { ...request, lane: lane.number };
      const departed = (): void => {
        start.resolve(undefined);
        lane?.departed();
      };
      return await this.#optOuts.attend(() =>
        this.#sendNow(sent, turn, lane === undefined ? undefined : departed),
      );
    } finally {
      start.resolve(undefined);
    }
  }

  /** @param departed there may be others in flight, which are told that this one is under way */
  async #sendNow(request: FetchRequest, turn: Turn, departed?: () => void): Promise<FetchResult | null> {
    if (!turn.mayLeave(false)) return null;
    this.sent++;
    this.lease.allowance.count();
    const departure: { at: number | null } = { at: null };
    const result = await this.#withinLease(request, turn, () => {
      const at = performance.now();
      departure.at = at;
      if (departed === undefined) return;
      // Of several in flight no answer tells when the next may leave: their departures are kept apart.
      this.#asked({ headAt: at, endAt: at }, turn);
      departed();
    });
    const endAt = result?.endAt ?? performance.now();
    const tookMs = departure.at === null ? null : endAt - departure.at;
    if (result !== null && tookMs !== null) this.#tookMs = tookMs;
    if (departed === undefined || departure.at === null) {
      // No more of it: the result has the body.
      if (result?.kind === 'response') this.#asked({ headAt: result.headAt, endAt: result.endAt }, turn);
      else if (result?.fault !== 'address-refused') this.#asked({ headAt: endAt, endAt }, turn);
    }
    if (this.#last !== null) this.lease.asked = { headAt: this.#last.headAt, tookMs: this.#tookMs };
    return result?.kind === 'response' && tookMs !== null ? { ...result, tookMs } : result;
  }

  #asked(at: Exchanged, turn: Turn): void {
    this.#last = at;
    turn.taken(at);
  }

  /**
   * The last look is taken when the connection stands and the bytes are about to leave: a process that was frozen
   * while it connected stops there, and so does a request to a host that has opted out in that time. An exchange that
   * outlives its lease is broken off, since the next holder counts on it; a lease that is renewed goes on.
   */
  async #withinLease(request: FetchRequest, turn: Turn, left: () => void): Promise<FetchResult | null> {
    const breakOff = new AbortController();
    const watch = setInterval(() => {
      if (!this.lease.isHeld) breakOff.abort(new LeaseOver());
    }, 500);
    try {
      return await this.#fetcher.fetch({
        ...request,
        signal: breakOff.signal,
        maySend: () => {
          const may = turn.mayLeave(true);
          if (may) left();
          else breakOff.abort(new LeaseOver());
          return may;
        },
      });
    } catch (error) {
      if (breakOff.signal.aborted) return null;
      if (error instanceof NoRoomForBody) {
        this.holdOff(noRoomMs);
        return null;
      }
      throw error;
    } finally {
      clearInterval(watch);
    }
  }
}
