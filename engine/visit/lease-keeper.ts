/**
 * The leases that a process holds. One statement renews them all every quarter of a lease. Another one looks once a
 * second for visits that must end, because settings of their hosts were changed or an operator has cut them. Each lease
 * shows its holder whether it is lost, somebody waits for the host, or the visit must end. Whether a request may leave
 * never depends on the database's clock: see domain/lease.ts.
 */
import type { Logger } from 'pino';
import { isHeld, mayStartRequest, type HeldLease } from '../../domain/lease.ts';
import { turnRequests } from '../../domain/lending.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  askGuestLease,
  cutLeases,
  renewLeases,
  takeGuestLease,
  takeLease,
  type TakenLease,
} from '../../storage/leases/index.ts';
import { timeCauseNames } from '../../domain/time-lost.ts';
import { noteTimes, type NotedTime } from '../../storage/times/index.ts';
import { count } from '../metrics/counters.ts';
import { Allowance } from './allowance.ts';
import { sleep } from './sleep.ts';
import { VisitTimes, type CrawlTimes } from './visit-times.ts';

export class HostLease {
  readonly hostId: string;
  readonly taken: TakenLease;
  /** What the host's windows and quota allow. */
  readonly allowance: Allowance;
  readonly times: VisitTimes;
  /** Somebody waits for the host: the visit must end soon (renew-leases). */
  othersWait = false;
  /** A foreign fetcher wants the host: the visit must end after its turn. */
  fetcherWants: boolean;
  /** Requests sent so far. */
  sent = 0;
  /** Ids of the crawls that the visit serves; null: it serves none. */
  crawls: readonly number[] | null = null;
  /** The visit must end soon: the host's settings changed since the lease was taken, or somebody cuts the visit. */
  isCut = false;
  held: HeldLease | null;
  /** `performance.now()` at the head of the last answer, and how long the answer took; null: no request was sent. */
  asked: { readonly headAt: number; readonly tookMs: number | null } | null = null;

  /** Null: nobody renews the lease, and no time of it is counted. */
  readonly #keeper: LeaseKeeper | null;

  constructor(hostId: string, taken: TakenLease, held: HeldLease, keeper: LeaseKeeper | null = null) {
    this.#keeper = keeper;
    this.hostId = hostId;
    this.taken = taken;
    this.held = held;
    this.fetcherWants = taken.fetcher_wants;
    this.allowance = new Allowance(taken, held.monotonicAt);
    this.times = new VisitTimes(taken.now_ms);
  }

  /** Nothing more begins under the lease. One that is not returned runs out: its next holder waits out a full delay. */
  end(): void {
    if (this.#keeper !== null && this.held !== null) countTimes(this.times.due());
    this.held = null;
    this.#keeper?.forget(this);
  }

  /** Time of the visit that is not written yet. */
  get timesDue(): readonly NotedTime[] {
    return this.#keeper === null ? [] : notedTimes(this, this.times.due());
  }

  /** True if no further request may begin under this lease: it is lost, or the visit must end. */
  get isOver(): boolean {
    return this.held === null || this.isCut;
  }

  /** Must the visit end soon, for somebody else's sake? */
  get mustGiveWay(): boolean {
    return this.othersWait || this.turnLeft <= 0;
  }

  /** Requests until a foreign fetcher that wants the host has its turn. */
  get turnLeft(): number {
    return this.fetcherWants ? turnRequests - this.sent : Infinity;
  }

  /** Is the lease still ours, as far as this process can know? */
  get isHeld(): boolean {
    return this.held !== null && isHeld(this.held, performance.now(), Date.now());
  }

  /** May a request leave now? False once the lease is lost or close to its end. */
  get mayStart(): boolean {
    if (this.held === null || this.isCut) return false;
    return mayStartRequest(this.held, performance.now(), Date.now());
  }
}

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
  readonly #leases = new Map<number, HostLease>();
  #timer: NodeJS.Timeout | undefined;
  #cutsTimer: NodeJS.Timeout | undefined;
  #timesTimer: NodeJS.Timeout | undefined;
  #timesSoon = false;

  constructor(pool: Pool, leaseMs: number, log: Logger) {
    this.#pool = pool;
    this.#leaseMs = leaseMs;
    this.#log = log;
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
      void this.#noteTimes().finally(() => {
        this.#startNotingTimes();
      });
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
    this.#timesSoon = false;
    const due = [...this.#leases.values()].map((lease) => [lease, lease.times.due()] as const);
    const rows = due.flatMap(([lease, times]) => notedTimes(lease, times));
    if (rows.length === 0) return;
    try {
      await noteTimes(this.#pool, JSON.stringify(rows));
      for (const [lease, written] of due) {
        // A lease that ended meanwhile has counted all that was due.
        if (lease.held !== null) countTimes(written);
        lease.times.written(written);
      }
    } catch (error) {
      // It is written with what comes next.
      this.#log.debug({ err: error, rows: rows.length }, 'the time of visits could not be written');
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
    } catch (error) {
      // A lease that was not renewed is not lost: its holder stops by its own clock before the lease ends.
      this.#log.warn({ err: error, leases: asked.length }, 'leases could not be renewed');
    }
  }
}

const notedTimes = ({ hostId }: HostLease, times: readonly CrawlTimes[]): NotedTime[] =>
  times.map(({ crawlId, from, until, spent, sure }) => ({
    host_id: Number(hostId),
    crawl_id: crawlId,
    from_ms: from,
    until_ms: until,
    sure,
    ...Object.fromEntries(
      timeCauseNames.flatMap((cause) => (spent[cause] ? [[cause, spent[cause] / 1_000]] : [])),
    ),
  }));

function countTimes(times: readonly CrawlTimes[]): void {
  for (const { spent } of times)
    for (const cause of timeCauseNames)
      if (spent[cause]) count('host_time_seconds_total', { cause }, spent[cause] / 1_000);
}
