/**
 * What a host's windows and its quota allow under one lease: whether a request may leave now, and when again if not.
 *
 * The instant is the database's, carried on by the monotonic clock: all workers agree on it, and none is misled by a
 * wall clock that was set. It is known to within the time its statement took, so a host counts as closed at the latest
 * instant it may be, and as open only from the earliest on. A lease ends with the opening time and the day it was taken
 * in: the next one judges anew.
 */
import { hostDay } from '../../domain/closing.ts';
import { defaultDailyQuota, reserveFor, usedOn } from '../../domain/quota.ts';
import { nextOpening, standingAt, type Standing, type Windows } from '../../domain/windows.ts';
import type { LocalDay } from '../../domain/zone.ts';
import type { Queryable } from '../../storage/pool.ts';
import type { Visit } from '../../storage/statements/release-lease.ts';
import { reserveRequests } from '../../storage/statements/reserve-requests.ts';
import type { TakenLease } from '../../storage/statements/take-lease.ts';

const alwaysOpen: Standing = { open: true, until: null };

export class Allowance {
  readonly #windows: Windows | null;
  readonly #quota: number;
  /** The host has a quota of its own, so that what a slice may send is reserved as it is needed. */
  readonly #exact: boolean;
  /** To be added to `performance.now()`: the latest and the earliest instant it may be. */
  readonly #latest: number;
  readonly #earliest: number;
  readonly #standing: Standing;
  readonly #day: LocalDay;
  readonly #used: number;
  #reserved: number;
  #sent = 0;

  /** @param askedAt `performance.now()` before the statement was sent that took the lease */
  constructor(taken: TakenLease, askedAt: number) {
    const { windows, quotaPerDay } = taken.settings;
    this.#windows = windows;
    this.#quota = quotaPerDay ?? defaultDailyQuota;
    this.#exact = quotaPerDay !== null;
    this.#latest = taken.now_ms - askedAt;
    this.#earliest = taken.now_ms - performance.now();
    this.#standing = windows === null ? alwaysOpen : standingAt(windows, taken.now_ms);
    this.#day = hostDay(windows, taken.now_ms);
    const counted = { day: taken.requests_day, used: taken.requests_used };
    this.#used = usedOn(this.#day.day, counted, taken.requests_lost);
    this.#reserved = taken.requests_granted;
  }

  /** May another request be begun now? It has to be counted then. */
  get permits(): boolean {
    return this.isOpen && this.#left > 0 && this.#sent < this.#reserved;
  }

  /** Is the host open, and its day the one that is counted? */
  get isOpen(): boolean {
    const { open, until } = this.#standing;
    const latest = this.#latest + performance.now();
    return latest < this.#day.endsAt && open && latest < (until ?? Infinity);
  }

  /** Milliseconds until requests are allowed again; 0: they are, under this lease or the next. */
  get closedMs(): number {
    const now = this.#earliest + performance.now();
    const at = nextOpening(this.#windows, this.#left > 0 ? now : this.#day.endsAt);
    return Math.max(0, at - now);
  }

  /** Null: it is open. */
  get closedBy(): 'windows' | 'quota' | null {
    if (this.closedMs === 0) return null;
    return this.#left > 0 ? 'windows' : 'quota';
  }

  /** Counts requests of a slice that wants to fetch `urls`. Answers how many of these the quota allows. */
  async grant(db: Queryable, hostId: string, token: number, urls: number): Promise<number> {
    if (!this.#exact) return Math.min(urls, this.#left);
    const requests = reserveFor(urls, this.#used + this.#sent, this.#quota);
    const [held] = await reserveRequests(db, hostId, token, requests);
    if (held === undefined) return 0;
    this.#reserved += requests;
    return Math.min(urls, requests);
  }

  /** Call before a request leaves. */
  count(): void {
    this.#sent++;
  }

  /** For the host's row, when the lease is returned. */
  get counted(): Pick<Visit, 'day' | 'used' | 'closedMs'> {
    return { day: this.#day.day, used: this.#used + this.#sent, closedMs: this.closedMs };
  }

  get #left(): number {
    return this.#quota - this.#used - this.#sent;
  }
}
