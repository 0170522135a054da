/**
 * What a host's windows and its quota allow under one lease: whether a request may leave now, and if not, when again.
 *
 * The current instant is the database's clock when the lease was taken, carried on by the monotonic clock: all workers
 * agree on it, and a wall clock that was set does not mislead any. It is known only to within the time that the
 * statement took. So the end of an opening time is judged by the latest instant that it may be now, and the wait for
 * the next opening by the earliest. Permission ends with the opening time and the day in which the lease was taken: the
 * next lease judges anew.
 */
import { hostDay } from '../../domain/closing.ts';
import { dailyQuota, reserveFor, usedOn } from '../../domain/quota.ts';
import { nextOpening, openingAt, type Opening, type Windows } from '../../domain/windows.ts';
import type { LocalDay } from '../../domain/zone.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import type { Visit, TakenLease } from '../../storage/leases/index.ts';
import { reserveRequests } from '../../storage/hosts/index.ts';

const alwaysOpen: Opening = { open: true, until: null };

export class Allowance {
  readonly #windows: Windows | null;
  readonly #quota: number;
  /** The host has a quota or budget of its own: requests of a slice are reserved exactly, as they are needed. */
  readonly isExact: boolean;
  /** Added to `performance.now()`, they give the latest and the earliest instant that it may be now. */
  readonly #latest: number;
  readonly #earliest: number;
  readonly #opening: Opening;
  readonly #day: LocalDay;
  readonly #used: number;
  #reserved: number;
  #sent = 0;

  /** @param askedAt `performance.now()` just before the statement that took the lease was sent */
  constructor(taken: TakenLease, askedAt: number) {
    const { windows, quotaPerDay } = taken.settings;
    this.#windows = windows;
    this.#quota = dailyQuota(quotaPerDay, taken.budget);
    this.isExact = quotaPerDay !== null || taken.budget !== null;
    this.#latest = taken.now_ms - askedAt;
    this.#earliest = taken.now_ms - performance.now();
    this.#opening = windows === null ? alwaysOpen : openingAt(windows, taken.now_ms);
    this.#day = hostDay(windows, taken.now_ms);
    const counted = { day: taken.requests_day, used: taken.requests_used };
    this.#used = usedOn(this.#day.day, counted, taken.requests_lost);
    this.#reserved = taken.requests_granted;
  }

  /** May another request begin now? The caller must then `count` it. */
  get permits(): boolean {
    return this.isOpen && this.#left > 0 && this.#sent < this.#reserved;
  }

  /** Is the host open, and still in the day for which requests are counted? */
  get isOpen(): boolean {
    const { open, until } = this.#opening;
    const latest = this.#latest + performance.now();
    return latest < this.#day.endsAt && open && latest < (until ?? Infinity);
  }

  /** Milliseconds until requests are allowed again; 0: they are allowed now, under this lease or the next. */
  get closedMs(): number {
    const now = this.#earliest + performance.now();
    const at = nextOpening(this.#windows, this.#left > 0 ? now : this.#day.endsAt);
    return Math.max(0, at - now);
  }

  /** What closes the host; null: it is open. */
  get closedBy(): 'windows' | 'quota' | null {
    if (this.closedMs === 0) return null;
    return this.#left > 0 ? 'windows' : 'quota';
  }

  /** Reserves requests for a slice that wants to fetch `urls` URLs. Returns how many of these the quota allows. */
  async grant(db: Queryable, hostId: string, token: number, urls: number): Promise<number> {
    if (!this.isExact) return Math.min(urls, this.#left);
    const requests = reserveFor(urls, this.#used + this.#sent, this.#quota);
    const [held] = await reserveRequests(db, hostId, token, requests);
    if (held === undefined) return 0;
    this.#reserved += requests;
    return Math.min(urls, requests);
  }

  /** The caller must call this before each request leaves. */
  count(): void {
    this.#sent++;
  }

  /** Written to the host's row when the lease is returned. */
  get counted(): Pick<Visit, 'day' | 'used' | 'closedMs'> {
    return { day: this.#day.day, used: this.#used + this.#sent, closedMs: this.closedMs };
  }

  get #left(): number {
    return this.#quota - this.#used - this.#sent;
  }
}
