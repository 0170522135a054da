/**
 * One slice of a host's back queue (docs/design.md, "The slice"): take the lease, read robots.txt if need be, lease URLs, fetch
 * them one after another at the host's pace, commit each result before the next request, return the lease.
 *
 * What holds all along: a request is sent only while the lease is held with a margin; everything that was leased and
 * not fetched goes back; a result is durable before the next request, so that a crash repeats at most the request in
 * flight. A lease that cannot be returned runs out, and its next holder waits out a full delay.
 */
import type { SliceResult } from '../../contracts/activities.ts';
import { lanesAt, type Exchanged, type Manners } from '../../domain/pace.ts';
import { optOutDetail, optOutReason } from '../../domain/opt-out.ts';
import { sleepsInWorkflow, sliceSize } from '../../domain/slice.ts';
import type { RequestHeaders } from '../../domain/request-headers.ts';
import { isStorageOutage, retrying } from '../../storage/retry.ts';
import { excludeOptedOut } from '../../storage/statements/exclude-opted-out.ts';
import { hasSeedAt } from '../../storage/statements/has-seed-at.ts';
import { reclaimUrls } from '../../storage/statements/reclaim-urls.ts';
import { noteTurns } from '../../storage/statements/note-turns.ts';
import { returnUrls } from '../../storage/statements/return-urls.ts';
import { waitingCrawls, type WaitingCrawl } from '../../storage/statements/waiting-crawls.ts';
import type { ResultRow } from '../../storage/statements/commit-results.ts';
import type { LeasedUrl } from '../../storage/statements/lease-urls.ts';
import type { Candidate } from '../admission/admission.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { CrawlTurns } from './crawl-turns.ts';
import { noBodies, validatorsOf, type FindBody } from './earlier-bodies.ts';
import type { FetchRoom } from './fetch-room.ts';
import { hostPace } from '../../domain/host-delay.ts';
import { refusalOf, type HostRules, type HostTrouble } from './host-rules.ts';
import { inLanes, type Lane } from './lanes.ts';
import type { HostLease } from './lease-keeper.ts';
import { Lessons } from './lessons.ts';
import { leaseWithinLimits } from './lease-within-limits.ts';
import { HostPacer } from './pacer.ts';
import { readRobots } from './read-robots.ts';
import { attemptedRow, excludedRow, leadingOutside, record, type Recorded, type Taker } from './record.ts';
import { sleep } from './sleep.ts';

/** URLs excluded in one statement. */
const optOutBatch = 1_000;
/** Until the crawls are known that come to the host. */
const noPace = { delayMs: 0, factor: null };
/** How often a slice that has ended tries to give back what it holds while Postgres is away. */
const giveBackMs = 500;

export interface SliceEnd {
  /** URLs that got a final outcome. */
  readonly settled: number;
  readonly next: SliceResult['next'];
  readonly trouble: HostTrouble | null;
  /** The host's failures in a row, this slice's included. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly waitMs: number;
  readonly delayMs: number;
  /** Why `next` is 'wait', where that is not the pace. */
  readonly closedBy: SliceResult['closedBy'];
}

export class Slice {
  readonly #room: FetchRoom;
  readonly #lease: HostLease;
  readonly #origin: string;
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  readonly #pacer: HostPacer;
  readonly #lessons: Lessons;
  /** Sets the paces that manners lead to, by the crawls and rules of this slice; null before those are known. */
  #setPaces: ((manners: Pick<Manners, 'slowdown'>) => void) | null = null;
  /** The host's delay before any slowdown; null before it is known. */
  #baseDelayMs: number | null = null;
  #turns: CrawlTurns;
  /** Those that ask for it. */
  #crawls: readonly OpenCrawl[] = [];
  #settled = 0;
  #optedOut = false;
  #earlierBody: FindBody = noBodies;

  constructor(room: FetchRoom, lease: HostLease, origin: string, sliceMs: number, signal: AbortSignal) {
    this.#room = room;
    this.#lease = lease;
    this.#origin = origin;
    this.#signal = signal;
    this.#endsAt = performance.now() + sliceMs;
    this.#lessons = new Lessons(lease.taken);
    const { fetcher } = room.dependencies;
    this.#pacer = new HostPacer(lease, fetcher, room.optOuts, noPace, lease.taken.held_ms, signal);
    this.#turns = new CrawlTurns([], [], lease.taken);
  }

  /** Runs the slice and returns the lease. Throws only for faults of our own; the lease then runs out by itself. */
  async run(sliceMs: number): Promise<SliceEnd> {
    try {
      const next = await this.#work(sliceMs);
      await this.#putBack();
      const waitMs = this.#waitMs;
      const { closedMs, closedBy } = this.#lease.allowance;
      await this.#release(waitMs);
      const common = {
        settled: this.#settled,
        failures: this.#lessons.failures,
        lastError: this.#lessons.lastError,
        delayMs: Math.max(this.#pacer.delayMs, this.#turns.leastDelayMs(this.#pacer.tookMs)),
      };
      const { trouble } = this.#lessons;
      if (trouble !== null) return { ...common, next: 'trouble', trouble, waitMs, closedBy: null };
      if (next === 'idle' || closedMs === 0)
        return { ...common, next, trouble: null, waitMs, closedBy: this.#optedOut ? 'opt-out' : null };
      return { ...common, next: 'wait', trouble: null, waitMs: Math.max(waitMs, closedMs), closedBy };
    } catch (error) {
      await this.#giveBackAfter(error);
      throw error;
    }
  }

  async #work(sliceMs: number): Promise<'more' | 'idle' | 'wait'> {
    const { pool } = this.#room.dependencies;
    const { hostId, taken } = this.#lease;
    await retrying(() => reclaimUrls(pool, hostId, taken.token));
    const { crawls, rows } = await this.#waitingCrawls();
    this.#turns = new CrawlTurns(crawls, rows, taken);
    const { robots_asked_ago_ms: askedAgoMs } = taken;
    const known = await this.#room.robots.find(hostId, askedAgoMs);
    // What an old copy asks for does not hold back the request for a new one that somebody wants now.
    const rules = known.fresh ?? (askedAgoMs === null ? known.older : null);
    this.#setDelay(crawls, { robots: rules, refused: null });
    if (await this.#hasOptedOut()) return 'idle';
    if (sleepsInWorkflow(this.#pacer.waitMs, sliceMs)) return 'wait';
    if (crawls.length === 0) return 'idle';

    const limit = await this.#grant(sliceSize(sliceMs, this.#pacer.delayMs));
    if (limit === 0) return 'more';
    const turns = this.#turns.within(sliceMs, this.#pacer.tookMs);
    const atTurn = crawls.filter(({ id }) => turns.get(id) !== 0);
    if (atTurn.length === 0) return 'idle';
    const urls = await leaseWithinLimits(pool, hostId, taken.token, limit, atTurn, turns);
    if (urls.length === 0) return 'idle';
    const asked = this.#pacer.last;
    const reading = await readRobots(
      this.#room,
      this.#pacer,
      this.#origin,
      crawls,
      this.#lessons.failures,
      this.#signal,
    );
    if (reading === 'interrupted') return 'more';
    if ('busyMs' in reading) {
      this.#pacer.holdOff(reading.busyMs);
      return 'more';
    }
    if ('class' in reading) {
      await this.#robotsTrouble(reading, urls);
      return 'more';
    }
    this.#setDelay(crawls, reading);
    if (this.#pacer.last !== null && this.#pacer.last !== asked) this.#turns.askedForRobots(this.#pacer.last);
    await this.#room.admitSitemaps(hostId, this.#origin, crawls, reading);
    this.#earlierBody = await this.#room.earlierBodies.of(hostId, urls, crawls);
    await this.#fetchAll(urls, reading);
    return 'more';
  }

  /** How many of so many URLs may be fetched now, counted before any request leaves; 0: the host is closed. */
  async #grant(urls: number): Promise<number> {
    const { hostId, taken, allowance } = this.#lease;
    if (!allowance.isOpen) return 0;
    return allowance.grant(this.#room.dependencies.pool, hostId, taken.token, urls);
  }

  async #fetchAll(urls: readonly LeasedUrl[], rules: HostRules): Promise<void> {
    const refused: ResultRow[] = [];
    const lanes = lanesAt({
      ...this.#lease.taken,
      ...this.#lessons.manners,
      failures: this.#lessons.failures,
    });
    const inTurn = this.#turns.inTurn(
      urls,
      () => this.#pacer.waitMs,
      () => this.#pacer.tookMs,
    );
    await inLanes(inTurn, lanes, async (url, lane) => {
      if (this.#mustEndBefore(url)) return false;
      if (await this.#isEdited()) return false;
      if (!(await this.#room.crawls.isRunning(url.crawl_id))) return true;
      const crawl = await this.#room.crawls.open(url.crawl_id);
      const optedOut = await this.#room.optOuts.covering(this.#origin);
      const refusal =
        optedOut === null
          ? await refusalOf(url, crawl, rules, this.#origin)
          : { reason: optOutReason, detail: optOutDetail(optedOut) };
      if (refusal === null) return this.#fetchOne(url, crawl, lane);
      refused.push(excludedRow(this.#place(url), refusal));
      return true;
    });
    if (refused.length > 0) await this.#room.dependencies.writer.write({ results: refused });
    this.#settled += refused.length;
  }

  /** Excludes what is queued at a host that has opted out; true: it has, and nothing is sent. */
  async #hasOptedOut(): Promise<boolean> {
    const { pool } = this.#room.dependencies;
    const domain = await this.#room.optOuts.covering(this.#origin);
    if (domain === null) return false;
    this.#optedOut = true;
    for (let found = 1; found > 0 && !this.#signal.aborted; this.#settled += found) {
      const rows = () => excludeOptedOut(pool, this.#lease.hostId, optOutDetail(domain), optOutBatch);
      found = (await retrying(rows)).length;
    }
    return true;
  }

  /** False: the slice must end. */
  async #fetchOne(url: LeasedUrl, crawl: OpenCrawl, lane?: Lane): Promise<boolean> {
    const { writer } = this.#room.dependencies;
    const recorded = await this.#request(url, crawl, lane);
    if (recorded === null) return false;
    const { row, target, targetInMs } = recorded;
    const found: Candidate[] =
      target === null
        ? []
        : [
            {
              crawl,
              link: target,
              kind: url.kind === 1 ? 'sitemap' : 'page',
              seed: false,
              depth: url.depth,
              hops: url.hops + 1,
              dueInMs: targetInMs,
              parent: { hostId: Number(this.#lease.hostId), key: url.key.toString('hex') },
            },
          ];
    await this.#room.admission.admit(found, (admissions, judged, outside) =>
      writer.write({ results: [leadingOutside(row, outside)], admissions, judged }),
    );
    if (row.state !== 'queued') this.#settled++;
    return this.#lessons.trouble === null;
  }

  /** Its body is stored or dropped when this ends: no frame that goes on holds it. Null: no answer, the slice ends. */
  async #request(url: LeasedUrl, crawl: OpenCrawl, lane?: Lane): Promise<Recorded | null> {
    const { blobs, settings } = this.#room.dependencies;
    const copy = await this.#earlierBody(url);
    const taker: Taker = url.kind === 1 || url.seed ? { version: crawl.version, takes: () => true } : crawl;
    const request = {
      url: url.url,
      userAgent: crawl.userAgent,
      allowPrivate: crawl.allowPrivate,
      limits: { maxBodyBytes: settings.maxBodyBytes, totalTimeoutMs: settings.requestTimeoutMs },
      wantsBody: (headers: Readonly<Record<string, string>>) => taker.takes(headers['content-type'] ?? null),
      ...validatorsOf(copy),
      headers: await this.#headersOf(crawl),
    };
    const { delayMs } = this.#pacer;
    const { crawls } = this.#room;
    const turn = {
      waitMs: () => this.#turns.waitMs(crawl.id, this.#pacer.tookMs),
      still: async () => !(await this.#isEdited()) && (await crawls.isRunning(url.crawl_id)),
      now: () => crawls.permits(url.crawl_id),
      taken: (at: Exchanged) => {
        this.#turns.asked(crawl.id, at);
      },
    };
    const result = await crawls.attend(() => this.#pacer.exchange(request, lane, turn));
    if (result === null) return null;
    try {
      const recorded = record(result, url, this.#place(url), this.#lessons, taker, copy);
      const { outcome, row, bodyHash } = recorded;
      // Before anything is stored: a fault of ours does not take back what the host has said.
      this.#lessons.learn(row.key, outcome.host, delayMs, row.detail ?? '');
      this.#setPaces?.(this.#lessons.manners);
      if (bodyHash !== null && result.kind === 'response') await blobs.put(bodyHash, result.body);
      return recorded;
    } finally {
      if (result.kind === 'response') result.release?.();
    }
  }

  /** Those of the crawl, at the origins of its seeds alone: others have no business with what they say. */
  async #headersOf({ id, config: { headers } }: OpenCrawl): Promise<RequestHeaders> {
    if (Object.keys(headers).length === 0) return headers;
    const { pool } = this.#room.dependencies;
    return (await hasSeedAt(pool, this.#lease.hostId, id)).length > 0 ? headers : {};
  }

  /** The first URL stands for the attempt: it was the one wanted. */
  async #robotsTrouble(trouble: HostTrouble, urls: readonly LeasedUrl[]): Promise<void> {
    const [first] = urls;
    this.#lessons.learnOfRobots(trouble);
    if (first === undefined) return;
    const row = attemptedRow(this.#place(first), trouble.class, trouble.message);
    await this.#room.dependencies.writer.write({ results: [row] });
  }

  #setDelay(crawls: readonly OpenCrawl[], rules: HostRules): void {
    const { taken } = this.#lease;
    this.#crawls = crawls;
    this.#baseDelayMs = hostPace({ ...taken, slowdown: 0 }, crawls, rules.robots).delayMs;
    this.#setPaces = ({ slowdown }) => {
      const host = { ...taken, slowdown };
      this.#pacer.pace = hostPace(host, crawls, rules.robots);
      this.#turns.setPaces(host, rules.robots);
    };
    this.#setPaces(this.#lessons.manners);
  }

  /** Other settings ask for another pace, and judge URLs anew: the next slice goes by them. */
  async #isEdited(): Promise<boolean> {
    const now = await Promise.all(this.#crawls.map(({ id }) => this.#room.crawls.open(id)));
    return now.some(({ version }, at) => version !== this.#crawls[at]?.version);
  }

  async #waitingCrawls(): Promise<{ crawls: readonly OpenCrawl[]; rows: readonly WaitingCrawl[] }> {
    const rows = await waitingCrawls(this.#room.dependencies.pool, this.#lease.hostId);
    return { rows, crawls: await Promise.all(rows.map(({ crawl_id }) => this.#room.crawls.open(crawl_id))) };
  }

  async #putBack(): Promise<void> {
    const { hostId, taken } = this.#lease;
    await retrying(() => returnUrls(this.#room.dependencies.pool, hostId, taken.token));
  }

  /**
   * After a fault of our own: what was leased goes back and the lease is returned, so that no URL is taken for one that
   * crashes workers. Where Postgres is away that is waited for, under the lease token, which nobody else can have
   * without having put the URLs back. Where it is not to be (the worker leaves) the lease runs out by itself.
   */
  async #giveBackAfter(error: unknown): Promise<void> {
    const { log } = this.#room.dependencies;
    for (;;) {
      try {
        await this.#putBack();
        await this.#release(this.#waitMs);
        return;
      } catch (again) {
        if (isStorageOutage(again) && !this.#signal.aborted) {
          await sleep(giveBackMs, this.#signal);
          continue;
        }
        this.#room.keeper.abandon(this.#lease);
        log.warn(
          { err: again, after: error, host: this.#origin },
          'a lease could not be returned; it runs out',
        );
        return;
      }
    }
  }

  /** Milliseconds from now for which the host is left alone. */
  get #waitMs(): number {
    return Math.max(this.#pacer.waitMs, this.#lessons.trouble?.waitMs ?? 0);
  }

  async #release(waitMs: number): Promise<void> {
    const { paceMs, tookMs } = this.#pacer;
    const { pool } = this.#room.dependencies;
    const { hostId } = this.#lease;
    await this.#lessons.save(pool, hostId, this.#baseDelayMs);
    const turns = this.#turns.noted(tookMs);
    // Before the lease is returned: its next holder goes by them.
    if (turns.length > 0)
      await retrying(() => noteTurns(pool, hostId, JSON.stringify(turns), this.#lessons.learned));
    await this.#room.keeper.release(this.#lease, { waitMs, paceMs, ...this.#lessons.forRelease });
  }

  #mustEndBefore(url: LeasedUrl): boolean {
    if (this.#signal.aborted || this.#lease.guestWaits || this.#lease.isOver) return true;
    const waitMs = Math.max(this.#pacer.waitMs, this.#turns.waitMs(url.crawl_id, this.#pacer.tookMs));
    // A slice of no length still sends the one request that may go at once.
    return performance.now() + waitMs > this.#endsAt && (waitMs > 0 || this.#pacer.sent > 0);
  }

  #place(url: LeasedUrl): { host_id: number; crawl_id: number; key: string; token: number } {
    return {
      host_id: Number(this.#lease.hostId),
      crawl_id: url.crawl_id,
      key: url.key.toString('hex'),
      token: this.#lease.taken.token,
    };
  }
}
