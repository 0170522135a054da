/**
 * One host's pace within a slice: which request may leave next, and when. Every request to the host passes through
 * `exchange`, robots.txt included. So no request leaves too soon, or while the host is closed or over its quota, and no
 * two are in flight together unless an operator allows several (lanes.ts).
 */
import type { Fetcher, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { adaptedDelayMs, earliestStart, type Exchanged } from '../../domain/pace.ts';
import { slowedMs } from '../../domain/pressure.ts';
import type { OptOutBook } from '../books/opt-out-book.ts';
import { isLater, type Caps, type Entry } from '../caps/caps.ts';
import type { Pressure } from '../pressure/pressure.ts';
import type { Pace } from '../../domain/host-delay.ts';
import type { HostLease } from './host-lease.ts';
import type { Lane } from './lanes.ts';
import { noteDeparture } from './politeness.ts';
import { untilDue } from './until-due.ts';
import type { Waits } from './visit-times.ts';
import { exchangeWithin, noRoom } from './within-lease.ts';

/** Whose turn a request is, and what may still keep it back (gates.ts). */
export interface Turn {
  /** Milliseconds until the crawl's turn has come, apart from the host's own pace. */
  readonly waitMs: () => number;
  /** Asked once a second while the request waits for its time. False: give it up. */
  readonly stays: () => boolean | Promise<boolean>;
  /** The last look: before the request is counted, and again when its bytes are about to leave. */
  readonly mayLeave: (counted: boolean) => boolean;
  /** Milliseconds that the request may wait for a permit of a group of its host (engine/caps). */
  readonly patienceMs: number;
  /** Called when the request begins to wait for something, and when that is over. */
  readonly waits: (waits: Waits | null) => void;
  /** Called when the request connects, and when its exchange is over. */
  readonly underWay: (by: 1 | -1) => void;
  /** Called when the request was answered, or, if several may be in flight, when it has left. */
  readonly taken: (at: Exchanged) => void;
}

/** What stands between a request and its host, for all hosts of the process. */
export interface Way {
  readonly fetcher: Fetcher;
  /** What all hosts of a domain, or at an address, may be sent together. */
  readonly caps: Pick<Caps, 'enter'>;
  readonly pressure: Pick<Pressure, 'fetching'>;
}

/** The pace until the crawls of the visit are known. */
const noPace: Pace = { delayMs: 0, factor: null };

/** Milliseconds for which a host is left alone if this process had no room for a body. */
const noRoomMs = 10_000;
/** A request to a host without a delay counts as this many milliseconds at least, if it must be slowed down. */
const leastSpentMs = 50;
/** Milliseconds for which a host is left alone if the stages behind stayed full for all of its visit. */
const easeAgainMs = 10_000;
/** Times that a request is made anew because its connection led to another address than was foreseen. */
const mostAddresses = 3;

export class HostPacer {
  readonly lease: HostLease;
  readonly #fetcher: Fetcher;
  readonly #caps: Pick<Caps, 'enter'>;
  readonly #pressure: Way['pressure'];
  readonly #optOuts: Pick<OptOutBook, 'attend'>;
  readonly #signal: AbortSignal;
  pace = noPace;
  /** The last exchange, on the clock of `performance.now()`. The current delay counts from it. */
  #last: Exchanged | null = null;
  /** Settled once the request before is under way or over: requests wait for their time one after another. */
  #starting: Promise<undefined> = Promise.resolve(undefined);
  /** Milliseconds that the last answer took, from the request's leaving to the answer's end; null: not known. */
  #tookMs: number | null = null;
  /** `performance.now()` before which the pace that the last slice left allows no request. */
  readonly #owedUntil: number;
  /** `performance.now()` before which other reasons than pace allow no request. */
  #heldOffUntil: number;
  #eased: boolean;

  constructor(
    lease: HostLease,
    { fetcher, caps, pressure }: Way,
    optOuts: Pick<OptOutBook, 'attend'>,
    signal: AbortSignal,
  ) {
    this.lease = lease;
    this.#fetcher = fetcher;
    this.#caps = caps;
    this.#pressure = pressure;
    this.#optOuts = optOuts;
    this.#signal = signal;
    this.#heldOffUntil = performance.now() + lease.taken.held_ms;
    this.#eased = lease.taken.eased;
    const { pace_ms: owedMs, asked_ago_ms: agoMs, took_ms: tookMs, unclean } = lease.taken;
    this.#owedUntil = performance.now() + owedMs;
    if (agoMs === null && !unclean) return;
    // The last holder did not return an unclean lease and may have a request in flight: it counts from now. And a clock
    // that was set back must not move the last request into the future.
    const headAt = performance.now() - (unclean ? 0 : Math.max(0, agoMs ?? 0));
    this.#last = { headAt, endAt: headAt };
    this.#tookMs = tookMs;
    if (unclean) lease.asked = { headAt, tookMs };
  }

  /** Requests sent so far. */
  get sent(): number {
    return this.lease.sent;
  }

  /** Milliseconds that the host's last answer took; null: not known. */
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

  /** Milliseconds until the host's pace allows a request: the delay since the last one. */
  get paceMs(): number {
    const paced = this.#last === null ? 0 : earliestStart(this.#last, this.delayMs);
    return Math.max(0, Math.max(paced, this.#owedUntil) - performance.now());
  }

  /** `performance.now()` until which the pace of earlier visits, and all other reasons, keep requests back. */
  get earlier(): { readonly owedUntil: number; readonly heldOffUntil: number } {
    return { owedUntil: this.#owedUntil, heldOffUntil: this.#heldOffUntil };
  }

  /** Milliseconds until all other reasons to wait are over. */
  get heldMs(): number {
    return Math.max(0, this.#heldOffUntil - performance.now());
  }

  /** What keeps requests back apart from the pace is that this installation has no room for answers. */
  get eased(): boolean {
    return this.#eased && this.heldMs > 0;
  }

  /** Notes that another fetcher has just asked the host. */
  askedElsewhere(): Exchanged {
    const headAt = performance.now();
    this.lease.asked = { headAt, tookMs: null };
    return (this.#last = { headAt, endAt: headAt });
  }

  /** Leaves the host alone for `waitMs` from now. @param eased for what waits behind the fetchers */
  holdOff(waitMs: number, eased = false): void {
    const until = performance.now() + waitMs;
    if (until <= this.#heldOffUntil) return;
    this.#heldOffUntil = until;
    this.#eased = eased;
  }

  /**
   * Sends one request when its time has come. Null: no request was sent (a gate closed meanwhile), or before the answer
   * was complete the lease ran out, or this process had no room for the body.
   * A request that the server most likely never saw is sent once more when its time has come again: neither URL nor
   * host is to blame, and the second request gets a new connection.
   * @param lane given if the next request may leave before the answer to this one is complete
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
      if (!(await this.#untilItsTime(turn))) return null;
      if (this.#signal.aborted || !(await turn.stays())) return null;
      const sent = lane === undefined ? request : { ...request, lane: lane.number };
      const departed = (): void => {
        start.resolve(undefined);
        lane?.departed();
      };
      let address: string | null = null;
      for (let tries = 0; tries < mostAddresses; tries++) {
        const entered = await this.#enterInTime(sent, turn, address);
        if (entered === null) return null;
        const attended = { began: false };
        const send = (): Promise<FetchResult | null> => {
          attended.began = true;
          return this.#sendNow(sent, turn, entered, lane === undefined ? undefined : departed);
        };
        try {
          const result = await this.#optOuts.attend(send);
          address = entered.elsewhere;
          if (result !== null || address === null) return result;
        } finally {
          // The list of opt-outs may have grown old while the request waited for its permits.
          if (!attended.began) entered.over(null);
        }
      }
      return null;
    } finally {
      start.resolve(undefined);
    }
  }

  /** Milliseconds between two requests while stages behind them are full; 0: none is. */
  get #easedMs(): number {
    const pace = this.#pressure.fetching;
    if (pace === 1) return 0;
    const tookMs = this.#tookMs ?? 0;
    return slowedMs(Math.max(leastSpentMs, this.delayMs + tookMs), pace) - tookMs;
  }

  /** False: the request was given up. */
  async #untilItsTime(turn: Turn): Promise<boolean> {
    const begunAt = performance.now();
    const easedMs = (): number => begunAt + this.#easedMs - performance.now();
    const restMs = (): number => {
      const ownMs = Math.max(this.waitMs, turn.waitMs());
      const ms = ownMs > 0 ? ownMs : easedMs();
      if (ms > 0) turn.waits(ownMs > 0 ? 'time' : 'pressure');
      return ms;
    };
    const stays = (): boolean | Promise<boolean> => {
      if (performance.now() - begunAt <= turn.patienceMs || easedMs() <= 0) return turn.stays();
      this.holdOff(easeAgainMs, true);
      return false;
    };
    try {
      return await untilDue(restMs, stays, this.#signal);
    } finally {
      turn.waits(null);
    }
  }

  /**
   * Waits for the permits of the host's groups, and looks at the time again: an answer to another request may have asked
   * for a pause meanwhile. Null as in `#enter`.
   */
  async #enterInTime(request: FetchRequest, turn: Turn, address: string | null): Promise<Entry | null> {
    for (;;) {
      const entry = await this.#enter(request, turn, address);
      if (entry === null || Math.max(this.waitMs, turn.waitMs()) <= 0) return entry;
      entry.over(null);
      if (!(await this.#untilItsTime(turn))) return null;
    }
  }

  /** Waits for the permits of the host's groups. Null: the request was given up, or the host is left alone for a while. */
  async #enter(request: FetchRequest, turn: Turn, address: string | null): Promise<Entry | null> {
    const patience = { ms: turn.patienceMs, stays: () => turn.stays(), signal: this.#signal };
    turn.waits('caps');
    const entering = this.#caps.enter(request, this.lease.hostId, patience, address);
    const entered = await entering.finally(() => {
      turn.waits(null);
    });
    if (entered === null || !isLater(entered)) return entered;
    this.holdOff(entered.waitMs);
    return null;
  }

  async #sendNow(
    request: FetchRequest,
    turn: Turn,
    entry: Entry,
    departed?: () => void,
  ): Promise<FetchResult | null> {
    const over: { headAt: number | null } = { headAt: null };
    try {
      return await this.#sendBy(entry, request, turn, over, departed);
    } finally {
      entry.over(over.headAt);
    }
  }

  /**
   * @param over is told when the host had the request, if the request was sent
   * @param departed given if several may be in flight: called when this request is under way
   */
  async #sendBy(
    entry: Entry,
    request: FetchRequest,
    turn: Turn,
    over: { headAt: number | null },
    departed?: () => void,
  ): Promise<FetchResult | null> {
    if (!turn.mayLeave(false)) return null;
    this.lease.sent++;
    this.lease.allowance.count();
    const departure: { at: number | null } = { at: null };
    const dueAt = performance.now() + this.paceMs;
    const before = this.delayMs > 0 ? this.#last : null;
    const mayLeave = (address: string | null): boolean => entry.mayLeave(address) && turn.mayLeave(true);
    turn.underWay(1);
    const exchanging = exchangeWithin(this.lease, this.#fetcher, request, mayLeave, () => {
      const at = performance.now();
      departure.at = at;
      noteDeparture(before === null ? null : (at - before.headAt) / 1_000, at < dueAt);
      over.headAt = at;
      if (departed === undefined) return;
      // With several in flight the delay cannot count from answers: it counts between departures.
      this.#asked({ headAt: at, endAt: at }, turn);
      departed();
    });
    const answer = await exchanging.finally(() => {
      turn.underWay(-1);
    });
    if (answer === noRoom) this.holdOff(noRoomMs, true);
    const result = answer === noRoom ? null : answer;
    const endAt = result?.endAt ?? performance.now();
    // A connection that failed reached the address as well.
    if (result?.kind === 'response') over.headAt = result.headAt;
    else if (result !== null || departure.at !== null) over.headAt = endAt;
    const tookMs = departure.at === null ? null : endAt - departure.at;
    if (result !== null && tookMs !== null) this.#tookMs = tookMs;
    if (departed === undefined || departure.at === null) {
      // Keep only the two times: the result holds the body.
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
}
