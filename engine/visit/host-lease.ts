/** The lease of a host as its holder has it: is it still ours, and must the visit end? */
import { isHeld, mayStartRequest, type HeldLease } from '../../domain/lease.ts';
import { turnRequests } from '../../domain/lending.ts';
import { timeCauseNames } from '../../domain/time-lost.ts';
import type { TakenLease } from '../../storage/leases/index.ts';
import type { NotedTime } from '../../storage/times/index.ts';
import { count } from '../metrics/counters.ts';
import { Allowance } from './allowance.ts';
import { VisitTimes, type CrawlTimes } from './visit-times.ts';

/** Who renews it. */
interface Keeper {
  forget(lease: HostLease): void;
}

export class HostLease {
  readonly hostId: string;
  /** Of the host, for logs; null: nobody visits yet. */
  origin: string | null = null;
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
  /**
   * `performance.now()` at which the visit should be over: whoever visits says so (`HostVisit`). One that is not over long
   * after it is given up (lease-keeper.ts).
   */
  endsBy = (): number => this.#takenAt;
  /** `performance.now()` at the head of the last answer, and how long the answer took; null: no request was sent. */
  asked: { readonly headAt: number; readonly tookMs: number | null } | null = null;

  /** Null: nobody renews the lease, and no time of it is counted. */
  readonly #keeper: Keeper | null;
  readonly #takenAt: number;

  constructor(hostId: string, taken: TakenLease, held: HeldLease, keeper: Keeper | null = null) {
    this.#keeper = keeper;
    this.hostId = hostId;
    this.taken = taken;
    this.held = held;
    this.fetcherWants = taken.fetcher_wants;
    this.#takenAt = held.monotonicAt;
    this.allowance = new Allowance(taken, held.monotonicAt);
    this.times = new VisitTimes(taken.now_ms);
  }

  /** Nothing more begins under the lease. One that is not returned runs out: its next holder waits out a full delay. */
  end(): void {
    const isCounted = this.#keeper !== null && this.held !== null;
    // First: whatever may be wrong with the account of its time, nobody may go on renewing the lease.
    this.held = null;
    this.#keeper?.forget(this);
    if (isCounted) countTimes(this.times.due());
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

export const notedTimes = ({ hostId }: HostLease, times: readonly CrawlTimes[]): NotedTime[] =>
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

/** Never throws: a counter refuses to go back. */
export function countTimes(times: readonly CrawlTimes[]): void {
  for (const { spent } of times)
    for (const cause of timeCauseNames) {
      const ms = spent[cause] ?? 0;
      if (ms > 0) count('host_time_seconds_total', { cause }, ms / 1_000);
    }
}
