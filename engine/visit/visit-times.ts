/**
 * Where the time of one visit goes (domain/time-lost.ts), for each crawl that it serves: from when the crawl had work at
 * the host until the visit is over. Nothing is measured but the moments at which the visit changes what it does. What
 * has come together is written with the return of the lease, and before that every few seconds for all visits of the
 * process in one statement (lease-keeper.ts). What a killed process had not written is not lost: the next visit counts
 * the time from where the account ends, as time that a lost visit took.
 *
 * What the visit does is the first of: a request waits; requests are under way; what `does` says; and
 * while it does its own work: the time of the next request has not come.
 */
import {
  addTime,
  asLost,
  laterDue,
  splitWait,
  totalTime,
  withoutLast,
  type TimeCause,
  type TimeSpent,
  type WaitStep,
} from '../../domain/time-lost.ts';
import type { LeasedUrl } from '../../storage/frontier/index.ts';

/** Time that came together for one crawl. */
export interface CrawlTimes {
  readonly crawlId: number;
  /** The interval, on the clock of the database: milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  /** Milliseconds. */
  readonly spent: TimeSpent;
  /** The crawl had work here in this time; false: only if it still has, since others are served too. */
  readonly sure: boolean;
}

interface Account {
  /** The beginning of the time that nobody writes yet. */
  from: number;
  spent: TimeSpent;
  /** Time before that, which is being written; null: none is. */
  noting: { readonly from: number; readonly spent: TimeSpent } | null;
  /** Some time was written. */
  begun: boolean;
}

/**
 * What a request waits for: its time, permits of its address and its domain, or room for its answer in the stages
 * behind (domain/pressure.ts).
 */
export type Waits = 'time' | 'caps' | 'pressure';

export class VisitTimes {
  readonly #now: () => number;
  /** Added to `now()` it gives the clock of the database. */
  readonly #ahead: number;
  /** What keeps the next request of a crawl back, and until when. @param crawlId null: of nobody in particular */
  pace: (crawlId: number | null) => readonly WaitStep[] = () => [];
  readonly #begunAt: number;
  #mark: number;
  /** What the visit did for no crawl in particular, for those that are known later. */
  #before: TimeSpent = {};
  readonly #accounts = new Map<number, Account>();
  #firstLeased = false;
  #does: TimeCause | null = 'own_work';
  #waits: Waits | null = null;
  /** Requests under way, by crawl; null is the key of those for robots.txt. */
  readonly #underWay = new Map<number | null, number>();

  /** @param databaseNow milliseconds since 1970, just now */
  constructor(databaseNow: number, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#begunAt = now();
    this.#ahead = databaseNow - this.#begunAt;
    this.#mark = this.#begunAt;
  }

  /**
   * Begins to count for these crawls. `waited`: how each has waited until now (storage/times/open-waits.ts), where the
   * time since this visit began is taken for a wait. Crawls that are counted for already stay so.
   * @param unclean the visit before this one was lost
   */
  begin(
    crawls: readonly { readonly crawl_id: number; readonly waited: TimeSpent | null }[],
    unclean: boolean,
  ): void {
    const now = this.#settle();
    const hereMs = now - this.#begunAt;
    const counted = new Map(this.#accounts);
    this.#accounts.clear();
    for (const { crawl_id: id, waited } of crawls) {
      const account = counted.get(id);
      if (account !== undefined) this.#accounts.set(id, account);
      if (account !== undefined || waited === null) continue;
      const wholeMs = totalTime(waited);
      const earlier = withoutLast(waited, hereMs);
      const share = hereMs === 0 ? 0 : Math.min(1, wholeMs / hereMs);
      const spent = addTime(unclean ? asLost(earlier) : earlier, this.#before, share);
      this.#accounts.set(id, { from: now - wholeMs, spent, noting: null, begun: false });
    }
  }

  /** Notes the first URLs that the visit leased: the wait before the first of a crawl became due was for that. */
  leased(urls: readonly Pick<LeasedUrl, 'crawl_id' | 'due_ms' | 'reason'>[]): void {
    if (this.#firstLeased) return;
    this.#firstLeased = true;
    const hereMs = this.#now() - this.#begunAt;
    for (const [id, account] of this.#accounts) {
      const [first] = urls.filter((url) => url.crawl_id === id).sort((a, b) => b.due_ms - a.due_ms);
      if (first === undefined) continue;
      const earlyMs = this.#begunAt - account.from - Math.max(0, first.due_ms - hereMs);
      account.spent = laterDue(
        account.spent,
        earlyMs,
        first.reason === 'overloaded' ? 'retry_after' : 'retry',
      );
    }
  }

  /** False: no crawl has work here. */
  get isAtWork(): boolean {
    return this.#does !== null;
  }

  /** What the visit does now, in a word for logs. */
  get doing(): string {
    return this.#waits ?? (this.#underWay.size > 0 ? 'asking' : (this.#does ?? 'nothing'));
  }

  /** What the visit does from now on, while no request waits or is under way; null: no crawl has work here. */
  does(cause: TimeCause | null): void {
    this.#settle();
    this.#does = cause;
  }

  /** A request waits from now on; null: no longer. */
  waits(waits: Waits | null): void {
    if (waits === this.#waits) return;
    this.#settle();
    this.#waits = waits;
  }

  /** @param crawlId null: robots.txt @param by 1: a request leaves; -1: it is over */
  underWay(crawlId: number | null, by: 1 | -1): void {
    this.#settle();
    const requests = (this.#underWay.get(crawlId) ?? 0) + by;
    if (requests > 0) this.#underWay.set(crawlId, requests);
    else this.#underWay.delete(crawlId);
  }

  /** What has come together and is not known to be written. */
  due(): readonly CrawlTimes[] {
    const now = this.#settle();
    return this.#times(now, ({ from, spent, noting }) =>
      noting === null ? { from, spent } : { from: noting.from, spent: addTime(noting.spent, spent) },
    );
  }

  /** What has come together, to be written. The caller must say whether it was (`noted`), before it asks for more. */
  note(): readonly CrawlTimes[] {
    const now = this.#settle();
    const noting = this.#times(now, ({ from, spent }) => ({ from, spent }));
    for (const account of this.#accounts.values()) {
      if (totalTime(account.spent) <= 0) continue;
      account.noting = { from: account.from, spent: account.spent };
      account.from = now;
      account.spent = {};
    }
    return noting;
  }

  noted(isWritten: boolean): void {
    for (const account of this.#accounts.values()) {
      const { noting } = account;
      if (noting === null) continue;
      account.noting = null;
      if (isWritten) account.begun = true;
      else {
        account.from = noting.from;
        account.spent = addTime(noting.spent, account.spent);
      }
    }
  }

  #times(now: number, of: (account: Account) => { from: number; spent: TimeSpent }): CrawlTimes[] {
    return [...this.#accounts].flatMap(([crawlId, account]) => {
      const { from, spent } = of(account);
      if (totalTime(spent) <= 0) return [];
      const sure = !account.begun || (spent.answering ?? 0) > 0;
      return [{ crawlId, from: from + this.#ahead, until: now + this.#ahead, spent, sure }];
    });
  }

  /** Gives each crawl the time since the last change. */
  #settle(): number {
    const [from, now] = [this.#mark, this.#now()];
    this.#mark = now;
    if (now <= from) return now;
    this.#before = addTime(this.#before, this.#doing(from, now, null));
    for (const [id, account] of this.#accounts)
      account.spent = addTime(account.spent, this.#doing(from, now, id));
    return now;
  }

  #doing(from: number, to: number, crawlId: number | null): TimeSpent {
    if (this.#waits === 'caps' || this.#waits === 'pressure') return { [this.#waits]: to - from };
    if (this.#waits === null) {
      if (this.#underWay.has(null)) return { robots_txt: to - from };
      if (crawlId !== null && this.#underWay.has(crawlId)) return { answering: to - from };
      if (this.#underWay.size > 0) return { others: to - from };
      if (this.#does === null) return {};
      if (this.#does !== 'own_work') return { [this.#does]: to - from };
    }
    return splitWait(from, to, this.pace(crawlId), 'own_work');
  }
}
