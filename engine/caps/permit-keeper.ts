/**
 * The permits that a process holds (domain/caps.ts). Who has which permits is in Postgres; within a process they go
 * round without any statement.
 *
 * A process holds permits under a lease of its own, one row for all groups. It uses a permit only while that lease is
 * held with a margin, by the more careful of two clocks (domain/lease.ts): a process that was frozen sends nothing by
 * what others have by now. What a killed process had counts as in use until its lease has run out, and rests once more.
 *
 * Turns at the books are gathered: one transaction for all groups, some ten a second at most, and none while no group
 * is short of permits. A group whose hosts need no more than the free permit is in no book at all.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  fairShares,
  freeSeats,
  reachBeside,
  settleShare,
  sharedPermits,
  type GroupBooks,
  type Permits,
  type Settled,
} from '../../domain/caps.ts';
import { isHeld, mayStartRequest, type HeldLease } from '../../domain/lease.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  addHolder,
  atBooks,
  noteWaits,
  readGroups,
  removeHolder,
  renewHolder,
  someGroups,
} from '../../storage/caps/index.ts';
import type { CappedGroup } from './cap-book.ts';
import { GroupPermits, type Place } from './group-permits.ts';

/** The right to send one request, and what becomes of it. */
export interface Pass {
  readonly name: string;
  /** May the request leave now? The last look, synchronous. */
  mayLeave(): boolean;
  /** The caller must call this once. @param headAt head of the answer, or else its end; null: nothing was sent */
  over(headAt: number | null): void;
}

/** No permit comes soon: the request should be made again after `waitMs`. */
export interface Later {
  readonly name: string;
  readonly waitMs: number;
}

export interface Patience {
  /** Longest wait, in milliseconds. */
  readonly ms: number;
  /** Asked once a second. False: the request is given up. */
  readonly stays: () => boolean | Promise<boolean>;
  readonly signal: AbortSignal;
}

/** The group whose permits entitle their processes to a free permit of every large group. */
const seats = { name: '*', permits: { count: freeSeats, restMs: 1_000 } };
/** Milliseconds for which needs are gathered for one turn at the books. */
const gatherMs = 50;
/** Milliseconds between two looks at what others need, and between two turns while somebody waits. */
const lookMs = 1_000;
const waitingMs = 250;
/** A process that got no seat asks again after this many milliseconds. */
const seatMs = 5_000;
/** A host that waits longer than this is noted for those who ask why. */
const notedMs = 1_000;
/** Milliseconds without any group after which a process gives its lease back. */
const restMs = 5_000;
/** Milliseconds between two looks for what killed processes have left, and groups for each. */
const sweepMs = 60_000;
const sweptGroups = 200;

interface Holding {
  readonly id: string;
  held: HeldLease;
  hasSeat: boolean;
  seatAskedAt: number;
}

export class PermitKeeper {
  readonly #pool: Pool;
  readonly #leaseMs: number;
  readonly #log: Logger;
  readonly #groups = new Map<string, GroupPermits>();
  #holding: Holding | null = null;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #working: Promise<void> | null = null;
  #usedAt = -Infinity;
  #sweptAt = performance.now();
  #sweptTo = '';
  #turnedAway: { host_id: string; name: string; ms: number }[] = [];

  constructor(pool: Pool, leaseMs: number, log: Logger) {
    this.#pool = pool;
    this.#leaseMs = leaseMs;
    this.#log = log;
  }

  /** Waits for a permit of the group. Null: the request was given up. */
  async enter(
    { name, permits }: CappedGroup,
    hostId: string,
    { ms, stays, signal }: Patience,
  ): Promise<Pass | Later | null> {
    const group = this.#group(name, permits);
    if (group.waitMs > ms) return this.#later(group, hostId);
    const giveUpAt = performance.now() + ms;
    const place = group.join(hostId);
    if (group.isWaitedFor) this.#workIn(gatherMs);
    try {
      return await this.#granted(group, place, hostId, giveUpAt, { stays, signal });
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  async #granted(
    group: GroupPermits,
    place: Place,
    hostId: string,
    giveUpAt: number,
    { stays, signal }: Omit<Patience, 'ms'>,
  ): Promise<Pass | Later | null> {
    for (;;) {
      const permit = await Promise.race([place.granted, sleep(lookMs, null, { ref: false })]);
      if (permit !== null) {
        // Permits are granted only under the lease that is held.
        const holding = this.#holding;
        return {
          name: group.name,
          mayLeave: () => holding !== null && holding === this.#holding && this.#mayStart,
          over: (headAt) => group.give(permit, headAt),
        };
      }
      const goesOn = !signal.aborted && (await stays());
      if (goesOn && performance.now() < giveUpAt) continue;
      place.leave();
      return goesOn ? this.#later(group, hostId) : null;
    }
  }

  /** Gives everything back; permits that still rest run out with the lease. */
  async close(): Promise<void> {
    await this.#working;
    clearTimeout(this.#timer);
    await this.#release();
  }

  async #release(): Promise<void> {
    const holding = this.#holding;
    this.#holding = null;
    if (holding === null) return;
    await removeHolder(this.#pool, holding.id).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'permits could not be given back; they will run out');
    });
  }

  get #mayStart(): boolean {
    return this.#holding !== null && mayStartRequest(this.#holding.held, performance.now(), Date.now());
  }

  #group(name: string, permits: Permits): GroupPermits {
    this.#usedAt = performance.now();
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = new GroupPermits(name, permits, () => this.#mayStart);
      this.#groups.set(name, group);
    }
    group.set(permits, this.#holding?.hasSeat === true);
    return group;
  }

  #later(group: GroupPermits, hostId: string): Later {
    const waitMs = group.book();
    this.#turnedAway.push({ host_id: hostId, name: group.name, ms: waitMs });
    this.#workIn(lookMs);
    return { name: group.name, waitMs };
  }

  #workIn(ms: number): void {
    const at = performance.now() + ms;
    if (at >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = at;
    this.#timer = setTimeout(() => {
      this.#dueAt = Infinity;
      this.#working ??= this.#work().finally(() => {
        this.#working = null;
      });
    }, ms);
  }

  async #work(): Promise<void> {
    try {
      await this.#hold();
      await this.#takeSeat();
      await this.#takeTurns();
      await this.#look();
      await this.#tell();
      await this.#sweep();
    } catch (error) {
      // Whoever waits goes on waiting; without its lease the process sends nothing.
      this.#log.warn({ err: error }, 'permits of groups of hosts could not be settled');
    }
    for (const [name, group] of this.#groups) {
      if (group.isOver) this.#groups.delete(name);
      else group.pump();
    }
    if (!this.#hasGroups() && performance.now() - this.#usedAt > restMs) {
      await this.#release();
      // A request that came meanwhile finds no lease.
      if (this.#hasGroups()) this.#workIn(0);
    } else this.#workIn([...this.#groups.values()].some((group) => group.isWaitedFor) ? waitingMs : lookMs);
  }

  #hasGroups(): boolean {
    return this.#groups.size > 0;
  }

  /** Takes, or renews, the lease under which the process holds permits. */
  async #hold(): Promise<void> {
    const held = { monotonicAt: performance.now(), wallAt: Date.now(), leaseMs: this.#leaseMs };
    const holding = this.#holding;
    if (holding !== null && held.monotonicAt - holding.held.monotonicAt < this.#leaseMs / 4) return;
    if (holding !== null && isHeld(holding.held, held.monotonicAt, held.wallAt)) {
      if ((await renewHolder(this.#pool, holding.id, this.#leaseMs)).length > 0) {
        holding.held = held;
        return;
      }
    }
    this.#lose();
    const id = randomUUID();
    await addHolder(this.#pool, id, this.#leaseMs);
    this.#holding = { id, held, hasSeat: false, seatAskedAt: -Infinity };
  }

  #lose(): void {
    this.#holding = null;
    for (const group of this.#groups.values()) group.lose();
  }

  /** Comes before all other turns: a group that can do with its free permit needs none. */
  async #takeSeat(): Promise<void> {
    const holding = this.#holding;
    const now = performance.now();
    if (holding === null || holding.hasSeat || now - holding.seatAskedAt < seatMs) return;
    holding.seatAskedAt = now;
    const call = { holder: holding.id, keeps: 0, wanted: 1 };
    let got = 0;
    const turn = (books: GroupBooks, at: number): GroupBooks => {
      const result = settleShare(books, call, seats.permits.count, at);
      got = result.permits;
      return result.books;
    };
    await atBooks(this.#pool, [{ name: seats.name, restMs: seats.permits.restMs, turn }]);
    // Only what is committed is a seat.
    holding.hasSeat = got > 0;
    for (const group of this.#groups.values()) group.set(group.permits, holding.hasSeat);
  }

  async #takeTurns(): Promise<void> {
    const holding = this.#holding;
    if (holding === null) return;
    const { id: holder } = holding;
    const settled = new Map<string, Settled>();
    const calls = [...this.#groups.values()].flatMap((group) => {
      const call = group.call(holder);
      return call === null ? [] : [{ name: group.name, permits: group.permits, call }];
    });
    if (calls.length === 0) return;
    await atBooks(
      this.#pool,
      calls.map(({ name, permits, call }) => ({
        name,
        restMs: permits.restMs,
        turn: (books, at) => {
          const result = settleShare(books, call, sharedPermits(permits), at);
          settled.set(name, result);
          return result.books;
        },
      })),
    );
    for (const { name, call } of calls) {
      const result = settled.get(name);
      if (result !== undefined) this.#groups.get(name)?.settled(result, call.wanted);
    }
  }

  /** Sees whether others need what this process has. */
  async #look(): Promise<void> {
    const holder = this.#holding?.id;
    const unseen = [...this.#groups.values()].filter((group) => group.isUnseen(lookMs));
    if (unseen.length === 0 || holder === undefined) return;
    const rows = new Map(
      (
        await readGroups(
          this.#pool,
          unseen.map(({ name }) => name),
        )
      ).map((row) => [row.name, row.books]),
    );
    for (const group of unseen) {
      const shares = rows.get(group.name)?.shares ?? [];
      const permits = sharedPermits(group.permits);
      const mine = shares.findIndex((share) => share.holder === holder);
      const fair = fairShares(shares, permits)[mine];
      const reach = reachBeside(shares.toSpliced(mine, mine < 0 ? 0 : 1), permits);
      group.look(shares.length > 1 && fair !== undefined ? fair : Infinity, reach);
    }
  }

  /** Notes which hosts wait. */
  async #tell(): Promise<void> {
    const waiting = [...this.#groups.values()].flatMap((group) =>
      group.longWaits(notedMs).map((hostId) => ({
        host_id: hostId,
        name: group.name,
        ms: group.waitMs + group.permits.restMs,
      })),
    );
    const rows = new Map([...waiting, ...this.#turnedAway].map((row) => [row.host_id, row]));
    this.#turnedAway = [];
    if (rows.size > 0) await noteWaits(this.#pool, JSON.stringify([...rows.values()]));
  }

  /** Clears away what killed processes have left in groups that nobody uses any more, some groups a minute. */
  async #sweep(): Promise<void> {
    if (performance.now() - this.#sweptAt < sweepMs) return;
    this.#sweptAt = performance.now();
    const names = (await someGroups(this.#pool, this.#sweptTo, sweptGroups)).map(({ name }) => name);
    this.#sweptTo = names.length < sweptGroups ? '' : (names.at(-1) ?? '');
    if (names.length === 0) return;
    await atBooks(
      this.#pool,
      names.map((name) => ({ name, turn: (books) => books })),
    );
  }
}
