/**
 * When each crawl may have its next turn at a host: after the crawl's own delay, counted from its own last request, in
 * this slice or an earlier one. The host's pace (pacer.ts) spaces all requests together. Turns space the requests of one
 * crawl that asks for a longer delay, and hold up no other crawl.
 */
import { adaptedDelayMs, earliestStart, type Exchanged } from '../../domain/pace.ts';
import type { Robots } from '../../domain/robots.ts';
import { turnsWithin } from '../../domain/slice.ts';
import { holdMs } from '../../domain/trouble.ts';
import type { NotedTurn, WaitingCrawl } from '../../storage/feeding/index.ts';
import type { TakenLease } from '../../storage/leases/index.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { crawlPace, hostPace, type Pace } from '../../domain/host-delay.ts';

/**
 * A request for robots.txt counts as a turn of every crawl at the host, except of crawls with a longer delay than this:
 * their copy of robots.txt could be too old again before each of their turns, so that they would never get one.
 */
const longestAfterRobotsMs = 3_600_000;

export class CrawlTurns {
  readonly #crawls = new Map<number, OpenCrawl>();
  /** The last exchange of each crawl, on the clock of `performance.now()`. */
  readonly #last = new Map<number, Exchanged>();
  /**
   * `performance.now()` before which a crawl has no turn, because a foreign fetcher of its tenant reported trouble, or
   * because URLs of its tenant alone have shown trouble.
   */
  readonly #heldUntil = new Map<number, number>();
  /** Crawls that the site has logged out in this visit. */
  readonly #loggedOut = new Set<number>();
  /** By tenant: how often in a row its crawls were held so, with no good answer to the tenant in between. */
  readonly #timesHeld = new Map<number, number>();
  /** Crawls whose tenants' turns this visit holds back. */
  readonly #held = new Set<OpenCrawl>();
  /** Crawls to which the host has answered well in this visit. */
  readonly #well = new Set<number>();
  #paces = new Map<number, Pace>();
  /** The pace of the host. */
  #common: Pace = { delayMs: 0, factor: null };

  /** @param rows one for each of the crawls */
  constructor(crawls: readonly OpenCrawl[], rows: readonly WaitingCrawl[], taken: TakenLease) {
    const now = performance.now();
    for (const crawl of crawls) this.#crawls.set(crawl.id, crawl);
    for (const { crawl_id: id, asked_ago_ms: agoMs, held_ms: heldMs, held_times: times } of rows) {
      // The last holder did not return its lease and may have a request in flight: such a request counts from now.
      const inFlight = taken.unclean && (taken.lent_crawl === null || taken.lent_crawl === id);
      const headAt = inFlight ? now : agoMs === null ? null : now - Math.max(0, agoMs);
      if (headAt !== null) this.#last.set(id, { headAt, endAt: headAt });
      if (heldMs > 0) this.#heldUntil.set(id, now + heldMs);
      const tenant = this.#crawls.get(id)?.tenantId;
      if (tenant !== undefined)
        this.#timesHeld.set(tenant, Math.max(times, this.#timesHeld.get(tenant) ?? 0));
    }
  }

  /** @param host what an operator set for the host, and its slowdown */
  setPaces(host: Parameters<typeof crawlPace>[0], robots: Robots | null): void {
    this.#common = hostPace(host, [...this.#crawls.values()], robots);
    this.#paces = new Map([...this.#crawls].map(([id, crawl]) => [id, crawlPace(host, crawl, robots)]));
  }

  /**
   * The crawl's own delay in milliseconds; null: the host's delay is as long or longer, so it is enough.
   * @param tookMs milliseconds that the host's last answer took
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

  /** The shortest delay of all crawls at this host, in milliseconds. */
  leastDelayMs(tookMs: number | null): number {
    const common = this.#commonDelayMs(tookMs);
    const each = [...this.#crawls.keys()].map((id) => this.#ownDelayMs(id, tookMs) ?? common);
    return each.length === 0 ? common : Math.min(...each);
  }

  /** Milliseconds until a crawl's next turn, on top of the host's pace. */
  waitMs(crawlId: number, tookMs: number | null): number {
    return Math.max(0, this.opensAt(crawlId, tookMs) - performance.now());
  }

  /** `performance.now()` at a crawl's next turn, apart from the host's pace; it may have passed. */
  opensAt(crawlId: number, tookMs: number | null): number {
    const [last, delayMs] = [this.#last.get(crawlId), this.#ownDelayMs(crawlId, tookMs)];
    if (this.#loggedOut.has(crawlId)) return Infinity;
    const paced = last === undefined || delayMs === null ? 0 : earliestStart(last, delayMs);
    return Math.max(paced, this.#heldUntil.get(crawlId) ?? 0);
  }

  /** By crawl: most turns within a slice. Only crawls that may have fewer turns than the host's pace allows. */
  within(sliceMs: number, tookMs: number | null): ReadonlyMap<number, number> {
    const turns = new Map<number, number>();
    for (const id of this.#crawls.keys()) {
      const delayMs = this.#ownDelayMs(id, tookMs);
      if (this.#loggedOut.has(id)) turns.set(id, 0);
      else if (delayMs !== null || this.#heldUntil.has(id))
        turns.set(id, turnsWithin(sliceMs, this.waitMs(id, tookMs), delayMs ?? 0));
    }
    return turns;
  }

  /** Notes that a request of this crawl was answered, or has left. */
  asked(crawlId: number, at: Exchanged): void {
    this.#last.set(crawlId, at);
  }

  /**
   * Takes the turns from all crawls of the crawl's tenant, because its URLs alone have shown trouble.
   * @param waitMs for which the host would be left alone; repeated trouble holds for longer
   */
  hold(crawl: OpenCrawl, waitMs: number): void {
    const now = performance.now();
    const { tenantId } = crawl;
    // A tenant that is held has only requests that had left before: they show the same trouble once more.
    const more = (this.#heldUntil.get(crawl.id) ?? 0) > now ? 0 : 1;
    const times = (this.#timesHeld.get(tenantId) ?? 0) + more;
    this.#timesHeld.set(tenantId, times);
    this.#held.add(crawl);
    const until = now + holdMs(waitMs, times);
    for (const each of [crawl, ...this.#crawls.values()])
      if (each.tenantId === tenantId)
        this.#heldUntil.set(each.id, Math.max(until, this.#heldUntil.get(each.id) ?? 0));
  }

  /** The crawl has no turn in this visit any more. */
  logOut(crawlId: number): void {
    this.#loggedOut.add(crawlId);
  }

  /** Notes that the host has answered a URL of this crawl well: trouble of its tenant begins anew. */
  answeredWell(crawl: OpenCrawl): void {
    this.#timesHeld.set(crawl.tenantId, 0);
    this.#well.add(crawl.id);
  }

  /** For `noteTurns`. */
  get well(): readonly number[] {
    return [...this.#well];
  }

  /** For `holdTurns`, which comes after `noteTurns`. */
  get held(): readonly { readonly crawlId: number; readonly ms: number; readonly times: number }[] {
    const now = performance.now();
    return [...this.#held].map(({ id, tenantId }) => ({
      crawlId: id,
      ms: (this.#heldUntil.get(id) ?? now) - now,
      times: this.#timesHeld.get(tenantId) ?? 0,
    }));
  }

  /** Notes that robots.txt was requested. */
  askedForRobots(at: Exchanged): void {
    for (const id of this.#crawls.keys()) {
      if ((this.#ownDelayMs(id, null) ?? 0) <= longestAfterRobotsMs) this.#last.set(id, at);
    }
  }

  /**
   * Yields the URLs one after another, in their order, but URLs of a crawl that must wait longer come later. The next URL
   * is chosen only when the caller asks for it. @param hostWaitMs milliseconds until the host allows any request
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
          crawl_id: id,
          asked_ago_ms: now - last.headAt,
          version,
          turn_in_ms: delayMs === null ? null : Math.max(0, earliestStart(last, delayMs) - now),
        },
      ];
    });
  }
}
