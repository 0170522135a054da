/**
 * One slice of a host's back queue (docs/design.md, "The slice"): lease URLs, read robots.txt if needed, fetch the URLs
 * one after another at the host's pace, commit each result before the next request, return the host's lease.
 *
 * Always true: a request is sent only while the lease is held with a margin. Every URL that was leased and not fetched
 * goes back. A result is durable before the next request, so that a crash repeats at most the request in flight. A lease
 * that cannot be returned runs out, and its next holder waits out a full delay.
 */
import type { SliceResult } from '../../contracts/activities.ts';
import { lanesAt } from '../../domain/pace.ts';
import { portionOf, sleepsInWorkflow } from '../../domain/slice.ts';
import { traced } from '../tracing.ts';
import { isStorageOutage, retrying } from '../../storage/postgres/index.ts';
import { excludeHostsOptedOut } from '../../storage/opt-outs/index.ts';
import { reclaimUrls, returnUrls, type ResultRow, type LeasedUrl } from '../../storage/frontier/index.ts';
import { waitingCrawls } from '../../storage/feeding/index.ts';
import { noBodies, type FindBody } from './earlier-bodies.ts';
import { PageFetch } from './fetch-page.ts';
import type { FetchContext } from './fetch-context.ts';
import type { Wanted } from './gates.ts';
import type { HostTrouble } from './host-rules.ts';
import type { HostVisit } from './host-visit.ts';
import { inLanes, type Lane } from './lanes.ts';
import type { HostLease } from './host-lease.ts';
import { Lessons } from './lessons.ts';
import { Portions, type Ahead, type Portion } from './portions.ts';
import { readRobots, usableMs } from './read-robots.ts';
import { attemptedRow, excludedRow, lastRow, placeOf, type Refusal } from './record.ts';
import { sleep } from './sleep.ts';

/** Most URLs excluded in one statement. */
const optOutBatch = 1_000;
/** While Postgres is down, a slice that has ended tries to give back what it holds every so many milliseconds. */
const giveBackMs = 500;

export interface SliceEnd {
  /** URLs that got a final outcome. */
  readonly settled: number;
  /** Of these: dead letters. */
  readonly letters: number;
  readonly next: SliceResult['next'];
  readonly trouble: HostTrouble | null;
  /** The host's failures in a row, this slice's included. */
  readonly failures: number;
  readonly lastError: string | null;
  readonly waitMs: number;
  readonly delayMs: number;
  /** Why `next` is 'wait', if the reason is not the pace. */
  readonly closedBy: SliceResult['closedBy'];
}

/** How the work of a slice ended. */
type Work = 'more' | 'idle' | 'wait' | 'held';

export class Slice {
  readonly #context: FetchContext;
  readonly #lease: HostLease;
  readonly #signal: AbortSignal;
  readonly #sliceMs: number;
  readonly #visit: HostVisit;
  readonly #lessons: Lessons;
  readonly #pages: PageFetch;
  #settled = 0;
  #letters = 0;
  #optedOut = false;
  #earlierBody: FindBody = noBodies;

  constructor(context: FetchContext, visit: HostVisit, sliceMs: number, signal: AbortSignal) {
    this.#context = context;
    this.#lease = visit.lease;
    this.#signal = signal;
    this.#sliceMs = sliceMs;
    this.#lessons = new Lessons(visit.lease.taken);
    this.#visit = visit;
    this.#pages = new PageFetch(context, visit, this.#lessons);
    visit.endsAt = performance.now() + sliceMs;
  }

  /** Runs the slice and returns the lease. Throws only for faults of our own; the lease then runs out by itself. */
  run(): Promise<SliceEnd> {
    return this.#toItsEnd(() => this.#work());
  }

  /**
   * As `run`, for a visit that has begun: its crawls were gathered, it goes by robots.txt, and the gates let it go on.
   * Ends once more than `mostQueued` URLs are queued at the host.
   */
  goOn(mostQueued: number): Promise<SliceEnd> {
    return this.#toItsEnd(async () => {
      await this.#reclaim();
      return this.#fetchOn(this.#portions(mostQueued), []);
    });
  }

  async #toItsEnd(work: () => Promise<Work>): Promise<SliceEnd> {
    try {
      const next = await work();
      await this.#pages.finish();
      await this.#putBack();
      const waitMs = this.#waitMs;
      const { closedMs, closedBy } = this.#lease.allowance;
      await this.#release();
      const { pacer, turns } = this.#visit;
      const common = {
        settled: this.#settled,
        letters: this.#letters,
        failures: this.#lessons.failures,
        lastError: this.#lessons.lastError,
        delayMs: Math.max(pacer.delayMs, turns.leastDelayMs(pacer.tookMs)),
      };
      const { trouble } = this.#lessons;
      if (trouble !== null) return { ...common, next: 'trouble', trouble, waitMs, closedBy: null };
      if (next === 'idle' || next === 'held' || closedMs === 0)
        return { ...common, next, trouble: null, waitMs, closedBy: this.#optedOut ? 'opt-out' : null };
      return { ...common, next: 'wait', trouble: null, waitMs: Math.max(waitMs, closedMs), closedBy };
    } catch (error) {
      await this.#giveBackAfter(error);
      throw error;
    }
  }

  async #work(): Promise<Work> {
    const { pool, settings } = this.#context.dependencies;
    await this.#reclaim();
    const visit = this.#visit;
    await visit.gather(await waitingCrawls(pool, this.#lease.hostId), true);
    const { crawls, pacer } = visit;
    // A workflow that was reset, or replaces a lost one, may not know that the host is paused or parked.
    if (this.#lease.taken.parked) return 'held';
    const stopped = await visit.mayBegin((waitMs) => !sleepsInWorkflow(waitMs, settings.sliceMs));
    if (stopped?.kind === 'never') {
      // The opt-out is the one gate that refuses a host for good.
      return (await this.#excludeOptedOut(stopped.refusal)) ? 'idle' : 'more';
    }
    if (stopped?.kind === 'held') return 'held';
    if (stopped?.kind === 'early') return 'wait';
    if (crawls.length === 0) return 'idle';
    if (stopped !== null) return 'more';

    const portions = this.#portions(Infinity);
    const urls = await portions.next(this.#portionMs);
    if (urls === 'closed') return 'more';
    if (urls.length === 0) return 'idle';
    const asked = pacer.last;
    const reading = await readRobots(this.#context, visit, this.#lessons.failures, this.#signal);
    if (reading === 'interrupted') return 'more';
    if ('busyMs' in reading) {
      pacer.holdOff(reading.busyMs);
      return 'more';
    }
    if ('class' in reading) {
      await this.#robotsTrouble(reading, urls);
      return 'more';
    }
    visit.goBy(reading);
    const longestMs = Math.max(usableMs(visit, reading), settings.sliceMs);
    visit.endsAt = Math.min(visit.endsAt, performance.now() + longestMs);
    if (pacer.last !== null && pacer.last !== asked) visit.turns.askedForRobots(pacer.last);
    return this.#fetchOn(portions, urls);
  }

  async #reclaim(): Promise<void> {
    const { hostId, taken } = this.#lease;
    await retrying(() => reclaimUrls(this.#context.dependencies.pool, hostId, taken.token));
  }

  #portions(mostQueued: number): Portions {
    this.#lease.crawls = this.#visit.crawls.map(({ id }) => id);
    return new Portions(this.#context, this.#visit, mostQueued, this.#signal);
  }

  /** Milliseconds of fetching for which URLs are leased together. */
  get #portionMs(): number {
    const { sliceMs } = this.#context.dependencies.settings;
    const { crawls } = this.#visit;
    // A host that is slow must not hold many of the few pages that a crawl may still have. And a crawl whose next URLs are
    // found while those of another are in hand waits for these.
    const isLimited = crawls.length > 1 || crawls.some(({ config }) => config.maxPages !== null);
    return isLimited ? Math.min(this.#sliceMs, sliceMs) : portionOf(sliceMs, this.#sliceMs);
  }

  /** @param first URLs in hand */
  async #fetchOn(portions: Portions, first: readonly LeasedUrl[]): Promise<'more' | 'idle'> {
    const { origin, crawls, rules } = this.#visit;
    const { hostId } = this.#lease;
    await this.#context.admitSitemaps(hostId, origin, crawls, rules);
    for (let urls: Portion = first; ;) {
      if (urls.length > 0) this.#earlierBody = await this.#context.earlierBodies.of(hostId, urls, crawls);
      if (!(await this.#fetchAll(urls, portions.ahead(this.#portionMs)))) return 'more';
      urls = await portions.further(this.#portionMs);
      if (urls === 'closed') return 'more';
      if (urls.length === 0) return 'idle';
    }
  }

  /** False: the visit must end. */
  async #fetchAll(urls: readonly LeasedUrl[], ahead: Ahead): Promise<boolean> {
    const refused: ResultRow[] = [];
    let [goesOn, left] = [true, urls.length];
    const end = (): false => (goesOn = false);
    const { pacer, turns, services } = this.#visit;
    const lanes = lanesAt({
      ...this.#lease.taken,
      ...this.#lessons.manners,
      failures: this.#lessons.failures,
    });
    const inTurn = turns.inTurn(
      urls,
      () => pacer.waitMs,
      () => pacer.tookMs,
    );
    await inLanes(inTurn, lanes, async (url, lane) => {
      left--;
      if (this.#mustEndBefore(url)) return end();
      const wanted = { url, crawl: await services.books.crawls.open(url.crawl_id) };
      const stopped = await this.#visit.mayAsk(wanted);
      switch (stopped?.kind) {
        case undefined:
          return (await this.#fetchOne(wanted, lane, left === 0 && lanes === 1 ? ahead : undefined)) || end();
        case 'never':
          refused.push(excludedRow(placeOf(this.#lease, url), stopped.refusal));
          return true;
        case 'last':
          refused.push(lastRow(placeOf(this.#lease, url)));
          return true;
        case 'skip':
          // The URL stays in hand until the visit ends.
          goesOn = false;
          return true;
        case 'early':
        case 'held':
        case 'closed':
          return end();
      }
    });
    if (refused.length > 0) await this.#context.dependencies.writer.write({ results: refused });
    this.#settled += refused.filter(({ state }) => state !== 'queued').length;
    return goesOn;
  }

  /** Excludes every queued URL of a host that has opted out. False: the time was over before. */
  async #excludeOptedOut({ detail }: Refusal): Promise<boolean> {
    const { pool } = this.#context.dependencies;
    const host = JSON.stringify([{ id: this.#lease.hostId, detail }]);
    for (;;) {
      const { length: found } = await retrying(() => excludeHostsOptedOut(pool, host, optOutBatch));
      this.#settled += found;
      this.#optedOut = found === 0;
      if (this.#optedOut) return true;
      // The next visit goes on: a large queue takes minutes.
      if (this.#signal.aborted || performance.now() > this.#visit.endsAt) return false;
    }
  }

  /** False: the slice must end. */
  async #fetchOne(wanted: Wanted, lane: Lane | undefined, ahead: Ahead | undefined): Promise<boolean> {
    const { tracer } = this.#context.dependencies;
    const { url, crawl } = wanted;
    const facts = () => ({ 'url.full': url.url, 'orbweaver.crawl_id': crawl.id });
    const state = await traced(tracer, 'url', facts, async (span) => {
      const its = await this.#pages.fetch(wanted, this.#earlierBody(url), lane, ahead);
      span?.tell({ 'orbweaver.state': its ?? 'not asked' });
      if (its === 'failed') span?.fail('a dead letter');
      return its;
    });
    if (state === null) return false;
    if (state !== 'queued') this.#settled++;
    if (state === 'failed') this.#letters++;
    return this.#lessons.trouble === null;
  }

  /** Counts the attempt for the first URL, which was to be fetched next. */
  async #robotsTrouble(trouble: HostTrouble, urls: readonly LeasedUrl[]): Promise<void> {
    const [first] = urls;
    this.#lessons.learnOfRobots(trouble);
    if (first === undefined) return;
    const row = attemptedRow(placeOf(this.#lease, first), trouble.class, trouble.message);
    await this.#context.dependencies.writer.write({ results: [row] });
  }

  async #putBack(): Promise<void> {
    const { hostId, taken } = this.#lease;
    await retrying(() => returnUrls(this.#context.dependencies.pool, hostId, taken.token));
  }

  /**
   * After a fault of our own: gives back the URLs and the lease, so that no URL is taken for one that crashes workers.
   * While Postgres is down the slice waits for it, under its lease token: another holder would have put the URLs back
   * first. If the worker is leaving, the lease runs out by itself.
   */
  async #giveBackAfter(error: unknown): Promise<void> {
    const { log } = this.#context.dependencies;
    for (;;) {
      try {
        await this.#putBack();
        await this.#release();
        return;
      } catch (again) {
        if (isStorageOutage(again) && !this.#signal.aborted) {
          await sleep(giveBackMs, this.#signal);
          continue;
        }
        this.#lease.end();
        log.warn(
          { err: again, after: error, host: this.#visit.origin },
          'a lease could not be returned; it will run out',
        );
        return;
      }
    }
  }

  /** Milliseconds from now for which the host is left alone. */
  get #waitMs(): number {
    return Math.max(this.#visit.waitMs, this.#lessons.trouble?.waitMs ?? 0);
  }

  async #release(): Promise<void> {
    const { pool } = this.#context.dependencies;
    await this.#lessons.save(pool, this.#lease.hostId, this.#visit.baseDelayMs);
    const waitMs = this.#lessons.trouble?.waitMs ?? 0;
    await this.#visit.leave({ ...this.#lessons.forRelease, waitMs });
  }

  /** Must the slice end before this URL is requested? Its time is up, or the worker is leaving. */
  #mustEndBefore(url: LeasedUrl): boolean {
    if (this.#signal.aborted) return true;
    const { pacer, turns } = this.#visit;
    const waitMs = Math.max(pacer.waitMs, turns.waitMs(url.crawl_id, pacer.tookMs));
    // A slice of length 0 still sends one request, if it may leave at once.
    return performance.now() + waitMs > this.#visit.endsAt && (waitMs > 0 || pacer.sent > 0);
  }
}
