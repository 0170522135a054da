/**
 * One visit of one host under one lease: what is known about the host (its crawls, robots.txt, pace, turns and
 * allowance), and the only way by which a request leaves for it, past all gates (gates.ts). A slice, a probe, the door,
 * a guest and a loan all use it.
 */
import { ProxyDown, type FetchRequest, type FetchResult } from '../../contracts/fetching.ts';
import { goesByCrawlDelay, hostPace } from '../../domain/host-delay.ts';
import type { Manners } from '../../domain/pace.ts';
import { askedPauseMs } from '../../domain/retry-after.ts';
import { robotsFreshMs } from '../../domain/robots-freshness.ts';
import { robotsAvailability, type Robots } from '../../domain/robots.ts';
import { byCrawlDelay, pauseCause, type WaitStep } from '../../domain/time-lost.ts';
import {
  holdTurns,
  markReached,
  noteTurns,
  type NotedTurn,
  type WaitingCrawl,
} from '../../storage/feeding/index.ts';
import { leaveHostAlone, releaseLease, type Leaving } from '../../storage/leases/index.ts';
import { retrying, type Pool, type Queryable } from '../../storage/postgres/index.ts';
import { KeyMissing, logOut } from '../../storage/sessions/index.ts';
import type { Books } from '../books/books.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { CrawlTurns } from './crawl-turns.ts';
import type { Gate, Stop, Visited, Wanted } from './gates.ts';
import type { HostRules } from './host-rules.ts';
import type { Lane } from './lanes.ts';
import { SessionSigns } from './session-signs.ts';
import type { HostLease } from './host-lease.ts';
import { HostPacer, type Way } from './pacer.ts';
import type { Waits } from './visit-times.ts';

/** What all visits of a process share. */
export interface Services extends Way {
  readonly pool: Pool;
  readonly books: Books;
  readonly sessions: Pick<SessionBook, 'proxyOf'>;
  readonly outage: () => Error | null;
  /** The gates of gates.ts. */
  readonly gates: readonly Gate[];
}

/**
 * What a visit leaves its host with, beside its pace. Whatever is absent stays as it was; `waitMs` is for other reasons than
 * the pace.
 */
export interface Outcome extends Partial<
  Pick<Leaving, 'waitMs' | 'failures' | 'lastError' | 'asked' | 'failed' | 'blamed'>
> {
  /** The turns of crawls to note, and those to hold back; absent: all that the visit knows. */
  readonly turns?: readonly NotedTurn[];
  readonly held?: CrawlTurns['held'];
}

/** Milliseconds that any request waits for a permit of the groups of its host. */
const errandMs = 10_000;

export class HostVisit implements Visited {
  readonly services: Services;
  readonly lease: HostLease;
  readonly origin: string;
  readonly pacer: HostPacer;
  turns: CrawlTurns;
  signs = new SessionSigns([]);
  /** The crawls that the host is visited for. */
  crawls: readonly OpenCrawl[] = [];
  rules: HostRules = { robots: null, refused: null, from: null };
  /**
   * A fresh copy of robots.txt, for how many milliseconds it stays so, and a copy that may be used while robots.txt cannot
   * be read.
   */
  known: {
    readonly fresh: Robots | null;
    readonly freshMs: number;
    readonly older: Robots | null;
    /** The address that these copies came from; null: not known. */
    readonly from: string | null;
  } = {
    fresh: null,
    freshMs: 0,
    older: null,
    from: null,
  };
  /**
   * `performance.now()` at which the time of the visit is over. No request waits for a permit of the host's groups beyond
   * it, but each may wait `errandMs`.
   */
  endsAt = 0;
  /** The host's delay before any slowdown; null before it is known. */
  baseDelayMs: number | null = null;
  /** The host asked for a pause in the course of this visit: nothing more is sent. */
  leftAlone = false;
  /**
   * Crawls on whose behalf a request was let go to the host; false: in this visit first, so that no row tells it yet.
   * Outlives `gather`: the door reads robots.txt before the visit gathers its crawls.
   */
  readonly #reached = new Map<number, boolean>();
  #wentOnAt = performance.now();
  /** What asks for the delay of the host. */
  #spacing: 'delay' | 'crawl_delay' = 'delay';

  constructor(services: Services, lease: HostLease, origin: string, signal: AbortSignal) {
    this.services = services;
    this.lease = lease;
    this.origin = lease.origin = origin;
    this.pacer = new HostPacer(lease, services, services.books.optOuts, signal);
    this.turns = new CrawlTurns([], [], lease.taken);
    lease.times.pace = (crawlId) => this.#waitSteps(crawlId);
    lease.endsBy = () => Math.max(this.#wentOnAt, this.endsAt) + this.pacer.delayMs;
  }

  /** An errand of several steps has come to the next: its time begins anew. */
  goesOn(): void {
    this.#wentOnAt = performance.now();
  }

  /**
   * Gathers crawls, robots.txt and pace for the visit.
   * @param rows the crawls that the host is visited for
   * @param again if somebody asked to read robots.txt again, copies from before that are not fresh
   */
  async gather(rows: readonly WaitingCrawl[], again = false): Promise<void> {
    const { crawls, robots } = this.services.books;
    this.crawls = await Promise.all(rows.map(({ crawl_id: id }) => crawls.open(id)));
    const { taken, hostId, times } = this.lease;
    this.turns = new CrawlTurns(this.crawls, rows, taken);
    this.signs = new SessionSigns(rows);
    for (const { crawl_id: id, reached } of rows) if (reached) this.#reached.set(id, true);
    const askedAgoMs = again ? taken.robots_asked_ago_ms : null;
    const copy = await robots.find(hostId, askedAgoMs);
    // If somebody asked for a new copy, the Crawl-delay of an old one does not hold back the request for it.
    const outdated = copy === null || (askedAgoMs !== null && copy.ageMs >= askedAgoMs);
    const from = copy?.address ?? null;
    this.goBy({ robots: outdated ? null : copy.robots, refused: null, from });
    const freshMs = outdated ? 0 : robotsFreshMs(this.pacer.delayMs, copy.keptMs) - copy.ageMs;
    const fresh = outdated || freshMs <= 0 ? null : copy.robots;
    this.known = { fresh, freshMs, older: copy?.robots ?? null, from };
    const asked = this.#spacing === 'crawl_delay';
    const waits = rows.map(({ crawl_id: id, waited }) => ({
      crawl_id: id,
      waited: waited !== null && asked ? byCrawlDelay(waited) : waited,
    }));
    times.begin(waits, taken.unclean);
  }

  /** Uses these rules from now on. */
  goBy(rules: HostRules): void {
    this.rules = rules;
    const asked = goesByCrawlDelay(this.lease.taken, this.crawls, rules.robots);
    this.#spacing = asked ? 'crawl_delay' : 'delay';
    this.baseDelayMs = hostPace({ ...this.lease.taken, slowdown: 0 }, this.crawls, rules.robots).delayMs;
    this.slowTo(this.lease.taken);
  }

  /** Sets pace and turns for this slowdown. */
  slowTo({ slowdown }: Pick<Manners, 'slowdown'>): void {
    const host = { ...this.lease.taken, slowdown };
    this.pacer.pace = hostPace(host, this.crawls, this.rules.robots);
    this.turns.setPaces(host, this.rules.robots);
  }

  get waitMs(): number {
    return this.pacer.waitMs;
  }

  /** What keeps the next request of a crawl back. @param crawlId null: a request for robots.txt */
  #waitSteps(crawlId: number | null): readonly WaitStep[] {
    const { pacer, lease, turns } = this;
    const { owedUntil, heldOffUntil } = pacer.earlier;
    const { failures, trouble } = lease.taken;
    const from = pacer.last?.headAt ?? -Infinity;
    return [
      { cause: pauseCause(failures === 0 ? null : trouble, pacer.eased), until: heldOffUntil },
      { cause: this.#spacing, until: from + (this.baseDelayMs ?? 0) },
      { cause: 'slowdown', until: from + pacer.pace.delayMs },
      // Slow answers make the delay longer, if a setting says so.
      { cause: this.#spacing, until: Math.max(from + pacer.delayMs, owedUntil) },
      { cause: 'own_delay', until: crawlId === null ? 0 : turns.opensAt(crawlId, pacer.tookMs) },
    ];
  }

  isCurrent(): boolean | Promise<boolean> {
    return allOf(this.crawls, (crawl) => this.services.books.crawls.isCurrent(crawl));
  }

  /** May the visit send any request? Null: yes. @param bears has the caller the patience for this wait? */
  async mayBegin(bears: (waitMs: number) => boolean): Promise<Stop | null> {
    const unborne = (stop: Stop | null): boolean =>
      stop !== null && !(stop.kind === 'early' && bears(stop.waitMs));
    const stopped =
      (await lookAtHost(this.services, this.origin, unborne)) ??
      (await firstStop(this.services.gates, ({ visit }) => visit?.(this), unborne));
    if (stopped?.kind === 'closed') this.pacer.holdOff(stopped.waitMs);
    return stopped;
  }

  /** May this URL be requested? Null: yes. */
  mayAsk(wanted: Wanted): Promise<Stop | null> {
    return firstStop(this.services.gates, ({ url }) => url?.(this, wanted));
  }

  /** The last look. */
  mayLeave(wanted: Wanted | null, url: string, counted = false): boolean {
    return this.services.gates.every(({ leaving }) => leaving?.(this, wanted, url, counted) !== false);
  }

  /**
   * Sends nothing more in this visit, and nothing to the host for `waitMs`. Written before anything else becomes of the
   * answer: whoever takes the host after a crash would otherwise wait for one delay only. @param forAllMs as in
   * `leaveHostAlone`
   */
  async leaveAlone(waitMs: number, forAllMs = waitMs): Promise<void> {
    this.leftAlone = true;
    this.pacer.holdOff(waitMs);
    const { hostId, taken } = this.lease;
    await retrying(() => leaveHostAlone(this.services.pool, hostId, taken.token, waitMs, forAllMs));
  }

  /**
   * Requests a robots.txt of the host. Where it cannot be read for now, or leads elsewhere later, the host is left alone
   * for as long as it asks.
   * @param patienceMs a pause up to this at a redirect is waited for by the caller, within the visit
   */
  async exchangeRobots(request: FetchRequest, patienceMs = 0): Promise<FetchResult | null> {
    const result = await this.exchange(request).catch(async (error: unknown) => {
      if (!(error instanceof ProxyDown)) throw error;
      await this.#withheld(error.message);
      return null;
    });
    if (result?.kind !== 'response') return result;
    const leads = result.status >= 300 && result.status < 400;
    if (!leads && robotsAvailability(result.status) !== 'unreachable') return result;
    const askedMs = askedPauseMs(result.headers, Date.now()) ?? 0;
    if (askedMs > (leads ? patienceMs : 0)) await this.leaveAlone(askedMs);
    return result;
  }

  /** The proxy by which all crawls of the visit go is down: none of them has a turn here until somebody has seen to it. */
  async #withheld(why: string): Promise<void> {
    for (const crawl of this.crawls) {
      this.turns.logOut(crawl.id);
      await retrying(() => logOut(this.services.pool, this.lease.hostId, crawl, `not sent, since ${why}`));
    }
  }

  /**
   * Returns the lease, with what the visit leaves the host and its crawls with. The turns come first: the next holder
   * uses them. @param db a transaction of the caller's, which is tried again as a whole; absent: each statement by itself
   */
  async leave(outcome: Outcome = {}, db?: Queryable): Promise<void> {
    const { lease, pacer, services } = this;
    const { asked, allowance, hostId, sent, taken } = lease;
    const { turns = this.turns.noted(pacer.tookMs), held = this.turns.held, waitMs = 0, ...lesson } = outcome;
    const writes = <T>(write: (to: Queryable) => Promise<T>): Promise<T> =>
      db === undefined ? retrying(() => write(services.pool)) : write(db);
    const reached = new Set([...this.#reached].flatMap(([id, isNoted]) => (isNoted ? [] : [id])));
    const noted = turns.map((turn) => ({
      ...turn,
      session_sign: this.signs.of(turn.crawl_id),
      reached: reached.delete(turn.crawl_id),
    }));
    if (noted.length > 0) await writes((to) => noteTurns(to, hostId, JSON.stringify(noted), this.turns.well));
    // Crawls without a turn to note: nothing but robots.txt was asked for.
    if (reached.size > 0) await writes((to) => markReached(to, hostId, [...reached]));
    for (const { crawlId, ms, times } of held)
      await writes((to) => holdTurns(to, hostId, crawlId, ms, times));
    lease.end();
    const askedAgoMs = asked === null ? null : performance.now() - asked.headAt;
    const { paceMs, eased } = pacer;
    const heldMs = Math.max(waitMs, pacer.heldMs);
    const leaving = {
      failures: taken.failures,
      lastError: taken.last_error,
      ...lesson,
      sent,
      eased,
      paceMs,
      waitMs: Math.max(heldMs, paceMs),
      visit: {
        askedAgoMs,
        tookMs: asked?.tookMs ?? null,
        ...allowance.counted,
        heldMs,
        revision: taken.settings_revision,
      },
    };
    await writes((to) => releaseLease(to, hostId, taken.token, leaving, lease.timesDue));
  }

  /** As `HostPacer.exchange`, past all gates. @param wanted null: for robots.txt, which belongs to no crawl */
  exchange(request: FetchRequest, wanted: Wanted | null = null, lane?: Lane): Promise<FetchResult | null> {
    const { pacer, turns, services } = this;
    const { times } = this.lease;
    // The lease and the pace are those of one host: whatever else is wrong, no other host is asked under them.
    if (wanted !== null && new URL(request.url).origin !== new URL(this.origin).origin)
      throw new Error(`${request.url} was to be asked for under the lease of ${this.origin}`);
    const crawlId = wanted?.crawl.id ?? null;
    const turn = {
      waitMs: () => (wanted === null ? 0 : turns.waitMs(wanted.crawl.id, pacer.tookMs)),
      stays: () => this.#stays(wanted),
      mayLeave: (counted: boolean) => this.mayLeave(wanted, request.url, counted),
      patienceMs: Math.max(errandMs, this.endsAt - performance.now()),
      waits: (waits: Waits | null) => {
        times.waits(waits);
      },
      underWay: (by: 1 | -1) => {
        times.underWay(crawlId, by);
      },
      taken: (at: Parameters<typeof turns.asked>[1]) => {
        if (wanted !== null) turns.asked(wanted.crawl.id, at);
      },
    };
    const send = async (): Promise<FetchResult | null> => {
      const proxy = await this.#proxyOf(wanted === null ? this.crawls : [wanted.crawl]);
      const result = await pacer.exchange(proxy === null ? request : { ...request, proxy }, turn, lane);
      if (result !== null && !(result.kind === 'fault' && result.fault === 'address-refused'))
        this.#noteReached(wanted === null ? this.crawls : [wanted.crawl], request.allowPrivate);
      return result;
    };
    return wanted === null ? send() : services.books.crawls.attend(send);
  }

  /** A request was let go to the host: notes it for each crawl that may itself reach as much as the request might. */
  #noteReached(crawls: readonly OpenCrawl[], allowPrivate: readonly string[]): void {
    for (const { id, allowPrivate: own } of crawls)
      if (!this.#reached.has(id) && allowPrivate.every((block) => own.includes(block)))
        this.#reached.set(id, false);
  }

  /**
   * The egress proxy by which a request for these crawls goes; null: directly, also where they have not all the same one.
   * Of a crawl whose session cannot be opened here nothing but robots.txt is asked for (`Carried`).
   */
  async #proxyOf(crawls: readonly OpenCrawl[]): Promise<string | null> {
    const { sessions } = this.services;
    const all = crawls.some(({ sessionRevision }) => sessionRevision > 0)
      ? await Promise.all(
          crawls.map((crawl) =>
            sessions.proxyOf(crawl).catch((error: unknown) => {
              if (error instanceof KeyMissing) return null;
              throw error;
            }),
          ),
        )
      : [];
    const [first = null, ...others] = all;
    return others.every((other) => other === first) ? first : null;
  }

  #stays(wanted: Wanted | null): boolean | Promise<boolean> {
    return allOf(this.services.gates, ({ waiting }) => waiting?.(this, wanted) ?? true);
  }
}

/** Are all answers true? A promise only if one is. */
function allOf<T>(
  asked: readonly T[],
  answer: (each: T) => boolean | Promise<boolean>,
): boolean | Promise<boolean> {
  let all: boolean | Promise<boolean> = true;
  for (const each of asked) {
    const one = answer(each);
    if (all === true) all = one;
    else if (one !== true) all = Promise.all([all, one]).then((both) => both.every(Boolean));
    if (all === false) break;
  }
  return all;
}

async function firstStop(
  gates: readonly Gate[],
  look: (gate: Gate) => Stop | null | undefined | Promise<Stop | null>,
  counts: (stop: Stop | null) => boolean = (stop) => stop !== null,
): Promise<Stop | null> {
  for (const gate of gates) {
    const stop = (await look(gate)) ?? null;
    if (stop !== null && counts(stop)) return stop;
  }
  return null;
}

/** The row of a crawl without any earlier request at the host. */
export const unasked = (id: number): WaitingCrawl => ({
  crawl_id: id,
  asked_ago_ms: null,
  held_ms: 0,
  held_times: 0,
  session_sign: null,
  reached: false,
  waited: null,
});

/** Asks the gates about a host before its lease is taken. Null: none says "not now". */
export const lookAtHost = (
  services: Services,
  origin: string,
  counts?: (stop: Stop | null) => boolean,
): Promise<Stop | null> => firstStop(services.gates, ({ host }) => host?.(services, origin), counts);

/**
 * Runs one short errand at a host, and returns the lease in every case. Only if gathering fails, so that the host's pace is
 * not known, or if the return itself fails, the lease is left to run out.
 * @param errand may call `leaves` to say what it leaves the host with, beside its pace; null: the visit goes on, and
 * somebody else returns the lease
 */
export async function onErrand<T>(
  visit: HostVisit,
  rows: () => Promise<readonly WaitingCrawl[]>,
  errand: (leaves: (outcome: Outcome | null) => void) => Promise<T>,
): Promise<T> {
  const { lease, pacer } = visit;
  try {
    await visit.gather(await rows());
  } catch (error) {
    lease.end();
    throw error;
  }
  const left: { outcome: Outcome | null } = { outcome: {} };
  try {
    return await errand((outcome) => (left.outcome = outcome));
  } finally {
    if (left.outcome !== null) {
      // Crawls with a delay of their own owe it after this robots.txt as after any other request.
      if (pacer.sent > 0 && pacer.last !== null) visit.turns.askedForRobots(pacer.last);
      const owed = visit.turns.noted(pacer.tookMs).filter(({ turn_in_ms: inMs }) => inMs !== null);
      await visit.leave({ ...left.outcome, turns: owed }).finally(() => {
        // If Postgres was away, it runs out.
        lease.end();
      });
    }
  }
}
