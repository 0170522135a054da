/**
 * When each crawl may have its turn at a host: its own delay, counted from the last request that was its own, whichever
 * slice that was in. The host's pace (pacer.ts) spaces all requests together; this spaces those of one crawl, where it
 * has asked for more, and holds up nobody else.
 */
import { adaptedDelayMs, earliestStart, type Exchanged } from '../../domain/pace.ts';
import type { Robots } from '../../domain/robots.ts';
import { turnsWithin } from '../../domain/slice.ts';
import type { NotedTurn } from '../../storage/statements/note-turns.ts';
import type { TakenLease } from '../../storage/statements/take-lease.ts';
import type { WaitingCrawl } from '../../storage/statements/waiting-crawls.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { crawlPace, hostPace, type Pace } from '../../domain/host-delay.ts';

/**
 * robots.txt counts as a request of the crawls it is read for, but for those that ask for less than one an hour: their
 * copy would be too old again before each of their turns, and they would never get one.
 */
const longestAfterRobotsMs = 3_600_000;

export class CrawlTurns {
  readonly #crawls = new Map<number, OpenCrawl>();
  /** The last exchange of each, on the clock of `performance.now()`. */
  readonly #last = new Map<number, Exchanged>();
  /** `performance.now()` before which it has no turn, by what a foreign fetcher of its tenant has reported. */
  readonly #heldUntil = new Map<number, number>();
  #paces = new Map<number, Pace>();
  /** Of the host. */
  #common: Pace = { delayMs: 0, factor: null };

  /** @param rows of these crawls */
  constructor(crawls: readonly OpenCrawl[], rows: readonly WaitingCrawl[], taken: TakenLease) {
    const now = performance.now();
    for (const crawl of crawls) this.#crawls.set(crawl.id, crawl);
    for (const { crawl_id: id, asked_ago_ms: agoMs, held_ms: heldMs } of rows) {
      // Whoever had the lease before and did not return it may have a request in flight: it counts from now.
      const inFlight = taken.unclean && (taken.lent_crawl === null || taken.lent_crawl === id);
      const headAt = inFlight ? now : agoMs === null ? null : now - Math.max(0, agoMs);
      if (headAt !== null) this.#last.set(id, { headAt, endAt: headAt });
      if (heldMs > 0) this.#heldUntil.set(id, now + heldMs);
    }
  }

  /** @param host what its operator set, and how slowed down it is */
  setPaces(host: Parameters<typeof crawlPace>[0], robots: Robots | null): void {
    this.#common = hostPace(host, [...this.#crawls.values()], robots);
    this.#paces = new Map([...this.#crawls].map(([id, crawl]) => [id, crawlPace(host, crawl, robots)]));
  }

  /**
   * Milliseconds between two requests of a crawl where its own delay is longer than the host's; null: that is enough.
   * @param tookMs what the host's last answer took
   */
  #ownDelayMs(crawlId: number, tookMs: number | null): number | null {
    const own = this.#paces.get(crawlId);
    if (own === undefined) return null;
    const delayMs = adaptedDelayMs(own.delayMs, own.factor, tookMs);
    return delayMs > this.#commonDelayMs(tookMs) ? delayMs : null;
  }

  #commonDelayMs(tookMs: number | null): number {
    return adaptedDelayMs(this.#common.delayMs, this.#common.factor, tookMs);
  }

  /** The shortest delay that a crawl here has. */
  leastDelayMs(tookMs: number | null): number {
    const common = this.#commonDelayMs(tookMs);
    const each = [...this.#crawls.keys()].map((id) => this.#ownDelayMs(id, tookMs) ?? common);
    return each.length === 0 ? common : Math.min(...each);
  }

  /** Milliseconds until a crawl's next turn, on top of the host's pace. */
  waitMs(crawlId: number, tookMs: number | null): number {
    const [last, delayMs] = [this.#last.get(crawlId), this.#ownDelayMs(crawlId, tookMs)];
    const paced = last === undefined || delayMs === null ? 0 : earliestStart(last, delayMs);
    return Math.max(0, Math.max(paced, this.#heldUntil.get(crawlId) ?? 0) - performance.now());
  }

  /** Turns that each crawl may have within a slice, where that is fewer than the host's pace would allow. */
  within(sliceMs: number, tookMs: number | null): ReadonlyMap<number, number> {
    const turns = new Map<number, number>();
    for (const id of this.#crawls.keys()) {
      const delayMs = this.#ownDelayMs(id, tookMs);
      if (delayMs !== null || this.#heldUntil.has(id))
        turns.set(id, turnsWithin(sliceMs, this.waitMs(id, tookMs), delayMs ?? 0));
    }
    return turns;
  }

  /** A request of the crawl's own was answered, or has left. */
  asked(crawlId: number, at: Exchanged): void {
    this.#last.set(crawlId, at);
  }

  /** robots.txt was asked for. */
  askedForRobots(at: Exchanged): void {
    for (const id of this.#crawls.keys()) {
      if ((this.#ownDelayMs(id, null) ?? 0) <= longestAfterRobotsMs) this.#last.set(id, at);
    }
  }

  /**
   * The URLs one after another, in their order but for those whose crawl has to wait longer than others: whose turn is
   * next is chosen when it is asked for. @param hostWaitMs milliseconds until anybody may be asked for
   */
  *inTurn<T extends { readonly crawl_id: number }>(
    urls: readonly T[],
    hostWaitMs: () => number,
    tookMs: () => number | null,
  ): Generator<T, void> {
    const left = [...urls];
    while (left.length > 0) {
      const waits = new Map([...this.#crawls.keys()].map((id) => [id, this.waitMs(id, tookMs())]));
      const soonest = Math.max(hostWaitMs(), Math.min(...left.map((url) => waits.get(url.crawl_id) ?? 0)));
      const next = left.findIndex((url) => (waits.get(url.crawl_id) ?? 0) <= soonest);
      yield* left.splice(Math.max(0, next), 1);
    }
  }

  /** For `noteTurns`. */
  noted(tookMs: number | null): NotedTurn[] {
    const now = performance.now();
    return [...this.#crawls.values()].flatMap(({ id, version }) => {
      const last = this.#last.get(id);
      if (last === undefined) return [];
      const delayMs = this.#ownDelayMs(id, tookMs);
      return [
        {
          ...{ crawl_id: id, asked_ago_ms: now - last.headAt, version },
          turn_in_ms: delayMs === null ? null : Math.max(0, earliestStart(last, delayMs) - now),
        },
      ];
    });
  }
}
