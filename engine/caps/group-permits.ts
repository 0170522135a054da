/**
 * The permits of one group that this process has, and the requests that wait for one, first come, first served. So
 * hosts of a group take turns: a host joins the line anew for each request.
 *
 * A permit is busy from before its request connects until the answer has ended, and then rests (domain/caps.ts).
 */
import { hasFreePermit, sharedPermits, type Call, type Permits, type Settled } from '../../domain/caps.ts';

export interface Permit {
  busy: boolean;
  /** `performance.now()` before which the permit rests. */
  restsUntil: number;
  /** Shared by the books; false: the free one. */
  readonly shared: boolean;
}

interface Waiter {
  readonly hostId: string;
  readonly since: number;
  noted: boolean;
  readonly grant: (permit: Permit) => void;
}

/** A request in the line. */
export interface Place {
  readonly granted: Promise<Permit>;
  /** Gives the place up, and a permit that was granted meanwhile. */
  readonly leave: () => void;
}

/** A shared permit that was not used for so many milliseconds goes back. */
const idleMs = 5_000;
/** What others should have goes back only after so many milliseconds: needs that come and go move no permit. */
const surplusMs = 1_000;
/** Milliseconds between two turns at the books for more permits, while others have what is missing. */
const askAgainMs = 250;

export class GroupPermits {
  readonly name: string;
  #permits: Permits;
  #shared: Permit[] = [];
  readonly #free: Permit = { busy: false, restsUntil: -Infinity, shared: false };
  /** The process may use the free permit. A request that left by it may outlast that. */
  #mayBeFree = false;
  #queue: Waiter[] = [];
  /** Shared permits that the process should have, by its last turn. */
  #fair = Infinity;
  /** Shared permits that the process would have if it wanted all, by its last turn or look. */
  #reach = Infinity;
  /** Since when the process has more than that. */
  #surplusSince = Infinity;
  #askedAt = -Infinity;
  #lookedAt = -Infinity;
  /** What the books may say that the process wants: of its last turn, or of one whose end is not known (Infinity). */
  #told = 0;
  /** `performance.now()` up to which requests were told to come back later. */
  #bookedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Whether permits may be used: the process is known to be alive. */
  readonly #mayGrant: () => boolean;

  constructor(name: string, permits: Permits, mayGrant: () => boolean) {
    this.name = name;
    this.#permits = permits;
    this.#mayGrant = mayGrant;
  }

  get permits(): Permits {
    return this.#permits;
  }

  /** @param hasSeat the process may use a free permit in large groups */
  set(permits: Permits, hasSeat: boolean): void {
    this.#permits = permits;
    this.#mayBeFree = hasSeat && hasFreePermit(permits);
    this.pump();
  }

  /** Milliseconds that a request which comes now waits for its permit, about. */
  get waitMs(): number {
    const { restMs } = this.#permits;
    const now = performance.now();
    const readyIn = this.#all.map(({ busy, restsUntil }) => (busy ? restMs : Math.max(0, restsUntil - now)));
    const first = readyIn.length === 0 ? 0 : Math.min(...readyIn);
    return first + (this.#queue.length / this.#usable) * restMs;
  }

  /** Milliseconds after which a request that is turned away should come back: later than those before it. */
  book(): number {
    const now = performance.now();
    const from = Math.max(this.#bookedUntil, now + this.waitMs);
    this.#bookedUntil = from + this.#permits.restMs / this.#usable;
    return this.#bookedUntil - now;
  }

  join(hostId: string): Place {
    const { promise, resolve } = Promise.withResolvers<Permit>();
    const given: { permit: Permit | null } = { permit: null };
    const waiter: Waiter = {
      hostId,
      since: performance.now(),
      noted: false,
      grant: (permit) => {
        given.permit = permit;
        resolve(permit);
      },
    };
    this.#queue.push(waiter);
    this.pump();
    return {
      granted: promise,
      leave: () => {
        this.#queue = this.#queue.filter((one) => one !== waiter);
        if (given.permit !== null) this.give(given.permit, null);
      },
    };
  }

  /** The request of this permit is over. @param headAt head of its answer, or else its end; null: nothing was sent */
  give(permit: Permit, headAt: number | null): void {
    permit.busy = false;
    if (headAt !== null) permit.restsUntil = headAt + this.#permits.restMs;
    this.pump();
  }

  /** Grants what has rested to those who wait. */
  pump(): void {
    clearTimeout(this.#timer);
    if (this.#queue.length === 0 || !this.#mayGrant()) return;
    const now = performance.now();
    const idle = this.#all.filter(({ busy }) => !busy);
    for (const permit of idle) {
      if (permit.restsUntil > now) continue;
      const next = this.#queue.shift();
      if (next === undefined) return;
      permit.busy = true;
      next.grant(permit);
    }
    const next = Math.min(...idle.filter(({ busy }) => !busy).map(({ restsUntil }) => restsUntil));
    if (this.#queue.length > 0 && next < Infinity)
      this.#timer = setTimeout(() => this.pump(), Math.ceil(next - performance.now()) + 1);
  }

  /** Takes shared permits out of use that should go back; null: the process needs no turn at the books now. */
  call(holder: string): Call | null {
    const now = performance.now();
    const most = sharedPermits(this.#permits);
    const keeps = now - this.#surplusSince >= surplusMs ? Math.min(this.#fair, most) : most;
    const surplus = this.#shared.length - keeps;
    const rested = this.#shared.filter(({ busy, restsUntil }) => !busy && restsUntil <= now);
    const unused = rested.filter(({ restsUntil }) => restsUntil + idleMs < now);
    const back = new Set([...unused, ...rested.slice(0, Math.max(0, surplus))]);
    const wants = this.#queue.length > 0 && this.#shared.length < most && now - this.#askedAt >= askAgainMs;
    const used = this.#shared.length - back.size;
    const wanted = Math.min(most, used + this.#queue.length);
    // Others would be held to less, for as long as the books say that this process wants more than it does.
    const overstated = this.#told > wanted && now - this.#askedAt >= surplusMs;
    if (back.size === 0 && !wants && !overstated) return null;
    this.#askedAt = now;
    this.#told = Infinity;
    this.#shared = this.#shared.filter((permit) => !back.has(permit));
    return { holder, keeps: used, wanted };
  }

  /** After a turn at the books, at which the process said how many permits it wants. */
  settled({ permits, fair, reach }: Settled, wanted: number): void {
    const now = performance.now();
    this.#told = wanted;
    while (this.#shared.length < permits) this.#shared.push({ busy: false, restsUntil: now, shared: true });
    this.look(fair, reach);
    this.pump();
  }

  /** What the process should have, and could have, as the books stand now. */
  look(fair: number, reach: number): void {
    const now = performance.now();
    this.#fair = fair;
    this.#reach = reach;
    this.#lookedAt = now;
    this.#surplusSince = this.#shared.length > fair ? Math.min(this.#surplusSince, now) : Infinity;
  }

  /** Has others' need not been looked at for so many milliseconds? */
  isUnseen(ms: number): boolean {
    return this.#shared.length > 0 && performance.now() - this.#lookedAt >= ms;
  }

  /** The process has lost what it had: it is not known any more who has the shared permits. */
  lose(): void {
    this.#shared = [];
    this.#fair = Infinity;
    this.#reach = Infinity;
    this.#surplusSince = Infinity;
    this.#askedAt = -Infinity;
    this.#told = 0;
    if (this.#mayBeFree) this.#free.restsUntil = performance.now() + this.#permits.restMs;
    this.#mayBeFree = false;
  }

  /** Hosts that have waited for longer than `ms`, each once for a wait. */
  longWaits(ms: number): string[] {
    const now = performance.now();
    const found = this.#queue.filter(({ noted, since }) => !noted && now - since >= ms);
    for (const waiter of found) waiter.noted = true;
    return found.map(({ hostId }) => hostId);
  }

  get isWaitedFor(): boolean {
    return this.#queue.length > 0;
  }

  /** Nothing is known of the group that would be lost with it. */
  get isOver(): boolean {
    const now = performance.now();
    const busy = this.#free.busy || this.#free.restsUntil > now;
    const isTold = this.#told === 0;
    return (
      this.#queue.length === 0 && this.#shared.length === 0 && isTold && !busy && this.#bookedUntil < now
    );
  }

  get #all(): Permit[] {
    return this.#mayBeFree ? [this.#free, ...this.#shared] : this.#shared;
  }

  /**
   * Permits that those who wait, or come later, can count on: the process takes as many as it needs of those it could
   * have. Those that it has now say little. With few in the line they are few, and whoever is told to come back by their
   * pace keeps the line short.
   */
  get #usable(): number {
    return Math.max(1, this.#all.length, Math.min(this.#reach, sharedPermits(this.#permits)));
  }
}
