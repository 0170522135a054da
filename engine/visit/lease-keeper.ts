/**
 * The leases a process holds. One statement renews them all every quarter of a lease, another asks once a second whether
 * an operator has changed a setting of theirs; each holder is told when its lease is lost, a guest waits or it works
 * under old settings. Nothing here trusts the database's clock for "may I send": see domain/lease.ts.
 */
import type { Logger } from 'pino';
import { isHeld, mayStartRequest, type HeldLease } from '../../domain/lease.ts';
import type { Pool } from '../../storage/pool.ts';
import { outdatedLeases } from '../../storage/statements/outdated-leases.ts';
import { askGuestLease } from '../../storage/statements/ask-guest-lease.ts';
import { releaseLease, type Leaving } from '../../storage/statements/release-lease.ts';
import { renewLeases } from '../../storage/statements/renew-leases.ts';
import { takeGuestLease } from '../../storage/statements/take-guest-lease.ts';
import { takeLease, type TakenLease } from '../../storage/statements/take-lease.ts';
import { Allowance } from './allowance.ts';
import { sleep } from './sleep.ts';

/** What a host has taught, written down when its lease is returned. */
export type HostLesson = Omit<Leaving, 'visit'>;

export class HostLease {
  readonly hostId: string;
  readonly taken: TakenLease;
  /** What windows and quota allow. */
  readonly allowance: Allowance;
  /** Another host's slice waits for one request here. */
  guestWaits = false;
  /** The host's settings were changed since the lease was taken: end the slice soon, the next one knows them. */
  outdated = false;
  held: HeldLease | null;
  /** The head of the last answer, on the clock of `performance.now()`, and what it took; null: nothing was asked. */
  asked: { readonly headAt: number; readonly tookMs: number | null } | null = null;

  constructor(hostId: string, taken: TakenLease, held: HeldLease) {
    this.hostId = hostId;
    this.taken = taken;
    this.held = held;
    this.allowance = new Allowance(taken, held.monotonicAt);
  }

  /** No further request is to be begun under it: it is lost, or its settings are old. */
  get isOver(): boolean {
    return this.held === null || this.outdated;
  }

  /** Is the lease ours, as far as this process can know? */
  get isHeld(): boolean {
    return this.held !== null && isHeld(this.held, performance.now(), Date.now());
  }

  /** May a request leave now? False once the lease is lost or close to its end. */
  get mayStart(): boolean {
    if (this.held === null || this.outdated) return false;
    return mayStartRequest(this.held, performance.now(), Date.now());
  }
}

/** How long a guest's asking holds the host back from its own slices; asked again until it has its turn. */
const guestAskMs = 1_000;
const pollMs = 100;
/** Milliseconds a slice takes at most from measuring its wait to measuring its pace. */
const paceSlackMs = 50;
/** How soon a slice hears of changed settings. */
const settingsMs = 1_000;

export class LeaseKeeper {
  readonly #pool: Pool;
  readonly #leaseMs: number;
  readonly #log: Logger;
  readonly #leases = new Map<number, HostLease>();
  #timer: NodeJS.Timeout | undefined;
  #settingsTimer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, leaseMs: number, log: Logger) {
    this.#pool = pool;
    this.#leaseMs = leaseMs;
    this.#log = log;
  }

  /** Slices that hold a lease right now. */
  get size(): number {
    return this.#leases.size;
  }

  /** The host's lease; null when it could not be had within `patienceMs`. */
  async take(hostId: string, patienceMs: number, signal: AbortSignal): Promise<HostLease | null> {
    return this.#taking(hostId, patienceMs, signal, () => takeLease(this.#pool, hostId, this.#leaseMs));
  }

  /** Keeps a lease that was taken by other means. */
  adopt(hostId: string, taken: TakenLease, held: HeldLease): HostLease {
    const lease = new HostLease(hostId, taken, held);
    this.#leases.set(taken.token, lease);
    this.#startRenewing();
    this.#startAskingForSettings();
    return lease;
  }

  /** As `take`, for one request on behalf of another host; asks the holder to make room. */
  async takeAsGuest(hostId: number, patienceMs: number, signal: AbortSignal): Promise<HostLease | null> {
    return this.#taking(String(hostId), patienceMs, signal, async () => {
      const taken = await takeGuestLease(this.#pool, hostId, this.#leaseMs);
      if (taken.length === 0) await askGuestLease(this.#pool, hostId, guestAskMs);
      return taken;
    });
  }

  /** Returns the lease cleanly. Answers false when it had been lost. */
  async release(lease: HostLease, lesson: HostLesson): Promise<boolean> {
    this.#leases.delete(lease.taken.token);
    lease.held = null;
    const { asked, taken } = lease;
    // Measured an instant apart: what is nearly the pace is the pace.
    const heldMs = lesson.waitMs > lesson.paceMs + paceSlackMs ? lesson.waitMs : 0;
    const rows = await releaseLease(this.#pool, lease.hostId, taken.token, {
      ...lesson,
      waitMs: Math.max(heldMs, lesson.paceMs),
      visit: {
        askedAgoMs: asked === null ? null : performance.now() - asked.headAt,
        tookMs: asked?.tookMs ?? null,
        ...lease.allowance.counted,
        heldMs,
        revision: taken.settings_revision,
      },
    });
    return rows.length > 0;
  }

  /** Lets the lease run out by itself: whoever takes it next waits out a full delay. */
  abandon(lease: HostLease): void {
    this.#leases.delete(lease.taken.token);
    lease.held = null;
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

  #startRenewing(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#leases.size === 0) return;
      void this.#renew().finally(() => {
        this.#startRenewing();
      });
    }, this.#leaseMs / 4);
  }

  #startAskingForSettings(): void {
    if (this.#settingsTimer !== undefined) return;
    this.#settingsTimer = setTimeout(() => {
      this.#settingsTimer = undefined;
      if (this.#leases.size === 0) return;
      void this.#askForSettings().finally(() => {
        this.#startAskingForSettings();
      });
    }, settingsMs);
  }

  async #askForSettings(): Promise<void> {
    const held = [...this.#leases.values()].map(({ hostId, taken }) => ({
      id: hostId,
      token: taken.token,
      revision: taken.settings_revision,
    }));
    try {
      for (const { token } of await outdatedLeases(this.#pool, JSON.stringify(held))) {
        const lease = this.#leases.get(token);
        if (lease !== undefined) lease.outdated = true;
      }
    } catch (error) {
      // The next slice of each host knows its settings anyway.
      this.#log.warn({ err: error, leases: held.length }, 'settings of hosts were not looked at');
    }
  }

  async #renew(): Promise<void> {
    const asked = [...this.#leases.values()];
    const now = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: this.#leaseMs };
    try {
      const held = asked.map((lease) => ({ id: lease.hostId, token: lease.taken.token }));
      const renewed = new Map(
        (await renewLeases(this.#pool, JSON.stringify(held), this.#leaseMs)).map((row) => [row.token, row]),
      );
      for (const lease of asked) {
        const row = renewed.get(lease.taken.token);
        if (row !== undefined) lease.guestWaits = row.guest_waits;
        if (lease.held !== null) lease.held = row === undefined ? null : now;
      }
    } catch (error) {
      // Not renewed is not lost: each holder stops by its own clock before the lease ends.
      this.#log.warn({ err: error, leases: asked.length }, 'leases were not renewed');
    }
  }
}
