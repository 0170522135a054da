/**
 * The leases that a process holds. One statement renews them all every quarter of a lease. Another one looks once a
 * second for visits that must end, because settings of their hosts were changed or an operator has cut them. Each lease
 * shows its holder whether it is lost, somebody waits for the host, or the visit must end. Whether a request may leave
 * never depends on the database's clock: see domain/lease.ts.
 *
 * A lease is renewed for as long as its visit may need, and not for ever: a visit that waits for something that never
 * comes, or has forgotten its lease, would keep the host from everybody. What it held goes on by its next holder.
 */
import type { Logger } from 'pino';
import type { HeldLease } from '../../domain/lease.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  askGuestLease,
  cutLeases,
  renewLeases,
  takeGuestLease,
  takeLease,
  type TakenLease,
} from '../../storage/leases/index.ts';
import { noteTimes } from '../../storage/times/index.ts';
import { count } from '../metrics/counters.ts';
import { countTimes, HostLease, notedTimes } from './host-lease.ts';
import { sleep } from './sleep.ts';

/** Milliseconds for which a guest's request for room holds the host's own slices back. The guest asks again until its turn. */
const guestAskMs = 1_000;
const pollMs = 100;
/** Milliseconds between two looks for visits that must end. */
const cutsMs = 1_000;
/** Milliseconds between two writes of where the time of visits under way goes, and until one that somebody waits for. */
const timesMs = 10_000;
const timesSoonMs = 300;

/** Looks after the leases of a process. None of its timers keeps the process alive: visits do. */
export class LeaseKeeper {
  readonly #pool: Pool;
  readonly #leaseMs: number;
  readonly #log: Logger;
  readonly #graceMs: number;
  readonly #leases = new Map<number, HostLease>();
  #timer: NodeJS.Timeout | undefined;
  #cutsTimer: NodeJS.Timeout | undefined;
  #timesTimer: NodeJS.Timeout | undefined;
  #timesSoon = false;
  #isNoting = false;
  /** Did the last renewal work? `performance.now()` of the last that did, and of the first after one that failed or was late. */
  #isWell = true;
  #renewedAt = Infinity;
  #wellSince = -Infinity;

  /** @param graceMs milliseconds that a visit may go on after its time is over */
  constructor(pool: Pool, leaseMs: number, log: Logger, graceMs: number) {
    this.#pool = pool;
    this.#leaseMs = leaseMs;
    this.#log = log;
    this.#graceMs = graceMs;
  }

  /** The host's lease; null if it could not be taken within `patienceMs`. */
  async take(hostId: string, patienceMs: number, signal: AbortSignal): Promise<HostLease | null> {
    return this.#taking(hostId, patienceMs, signal, () => takeLease(this.#pool, hostId, this.#leaseMs));
  }

  /** Keeps a lease that was taken by other means. */
  adopt(hostId: string, taken: TakenLease, held: HeldLease): HostLease {
    const lease = new HostLease(hostId, taken, held, this);
    this.#leases.set(taken.token, lease);
    this.#startRenewing();
    this.#startLookingForCuts();
    this.#startNotingTimes();
    return lease;
  }

  /** Leases that this process holds. */
  get count(): number {
    return this.#leases.size;
  }

  forget({ taken }: HostLease): void {
    this.#leases.delete(taken.token);
  }

  /** As `take`, for one request on behalf of another host. Asks the holder of the lease to make room. */
  async takeAsGuest(hostId: number, patienceMs: number, signal: AbortSignal): Promise<HostLease | null> {
    return this.#taking(String(hostId), patienceMs, signal, async () => {
      const taken = await takeGuestLease(this.#pool, hostId, this.#leaseMs);
      if (taken.length === 0) await askGuestLease(this.#pool, hostId, guestAskMs);
      return taken;
    });
  }

  async #taking(
    hostId: string,
    patienceMs: number,
    signal: AbortSignal,
    attempt: () => Promise<TakenLease[]>,
  ): Promise<HostLease | null> {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const now = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: this.#leaseMs };
      const [taken] = await attempt();
      if (taken !== undefined) {
        return this.adopt(hostId, taken, now);
      }
      if (signal.aborted || performance.now() >= giveUpAt) return null;
      await sleep(pollMs, signal);
    }
  }

  /** @param tookMs how long the renewal before took: the busier Postgres is, the less time is left for the next one. */
  #startRenewing(tookMs = 0): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#leases.size === 0) return;
        const began = performance.now();
        void this.#renew().finally(() => {
          this.#startRenewing(performance.now() - began);
        });
      },
      Math.max(0, this.#leaseMs / 4 - tookMs),
    ).unref();
  }

  #startLookingForCuts(): void {
    if (this.#cutsTimer !== undefined) return;
    this.#cutsTimer = setTimeout(() => {
      this.#cutsTimer = undefined;
      if (this.#leases.size === 0) return;
      void this.#lookForCuts().finally(() => {
        this.#startLookingForCuts();
      });
    }, cutsMs).unref();
  }

  async #lookForCuts(): Promise<void> {
    try {
      for (const { token } of await cutLeases(this.#pool)) {
        const lease = this.#leases.get(token);
        if (lease !== undefined) lease.isCut = true;
      }
    } catch (error) {
      // The next look finds them.
      this.#log.warn(
        { err: error, leases: this.#leases.size },
        'visits that must end could not be looked up',
      );
    }
  }

  #startNotingTimes(ms = timesMs): void {
    if (this.#timesTimer !== undefined) return;
    this.#timesTimer = setTimeout(() => {
      this.#timesTimer = undefined;
      if (this.#leases.size === 0) return;
      // One note at a time: of two, the later could come first, and the time before it would count no more.
      if (this.#isNoting) this.#startNotingTimes(timesSoonMs);
      else {
        void this.#noteTimes().finally(() => {
          this.#isNoting = false;
          this.#startNotingTimes();
        });
      }
    }, ms).unref();
  }

  /** Writes where the time of visits went soon, because one has no work left: its crawl may be about to end. */
  noteTimesSoon(): void {
    if (this.#timesSoon) return;
    this.#timesSoon = true;
    clearTimeout(this.#timesTimer);
    this.#timesTimer = undefined;
    this.#startNotingTimes(timesSoonMs);
  }

  async #noteTimes(): Promise<void> {
    [this.#isNoting, this.#timesSoon] = [true, false];
    const noting = [...this.#leases.values()].map((lease) => [lease, lease.times.note()] as const);
    const rows = noting.flatMap(([lease, times]) => notedTimes(lease, times));
    if (rows.length === 0) return;
    const isWritten = await noteTimes(this.#pool, JSON.stringify(rows)).then(
      () => true,
      (error: unknown) => {
        // It is written with what comes next.
        this.#log.debug({ err: error, rows: rows.length }, 'the time of visits could not be written');
        return false;
      },
    );
    for (const [lease, times] of noting) {
      lease.times.noted(isWritten);
      // A lease that ended meanwhile has counted all that was due.
      if (isWritten && lease.held !== null) countTimes(times);
    }
  }

  /** Visits have waited while Postgres was away, or this process stood still: their time counts from when that is over. */
  #giveUpOverdue(now: number): void {
    if (!this.#isWell || now - this.#renewedAt > this.#leaseMs) this.#wellSince = now;
    [this.#isWell, this.#renewedAt] = [true, now];
    for (const lease of this.#leases.values()) {
      if (now < Math.max(lease.endsBy(), this.#wellSince) + this.#graceMs) continue;
      this.#log.error(
        { host: lease.origin ?? lease.hostId, state: lease.times.doing },
        'a visit has not come to its end long after its time; its host is left to others',
      );
      count('visits_given_up_total', {});
      lease.end();
    }
  }

  async #renew(): Promise<void> {
    const asked = [...this.#leases.values()];
    const now = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: this.#leaseMs };
    try {
      const held = asked.map(({ hostId, taken, crawls }) => ({ id: hostId, token: taken.token, crawls }));
      const rows = await renewLeases(this.#pool, JSON.stringify(held), this.#leaseMs);
      const news = new Map(rows.map((row) => [row.token, row]));
      for (const lease of asked) {
        const told = news.get(lease.taken.token);
        lease.othersWait = told?.lost === false;
        lease.fetcherWants = told?.lost === null;
        if (lease.held === null) continue;
        if (told?.lost === true) count('leases_lost_total', {});
        lease.held = told?.lost === true ? null : now;
      }
      this.#giveUpOverdue(performance.now());
    } catch (error) {
      this.#isWell = false;
      // A lease that was not renewed is not lost: its holder stops by its own clock before the lease ends.
      this.#log.warn({ err: error, leases: asked.length }, 'leases could not be renewed');
    }
  }
}
