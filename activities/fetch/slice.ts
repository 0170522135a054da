/**
 * One slice of a host's back queue (docs/design.md §4): take the lease, read robots.txt if need be, lease URLs, fetch
 * them one after another at the host's pace, commit each result before the next request, return the lease.
 *
 * What holds all along: a request is sent only while the lease is held with a margin; everything that was leased and
 * not fetched goes back; a result is durable before the next request, so that a crash repeats at most the request in
 * flight. A lease that cannot be returned runs out, and its next holder waits out a full delay.
 */
import type { SliceResult } from '../../contracts/activities.ts';
import { easeUp, slowDown, type Manners } from '../../domain/pace.ts';
import { sleepsInWorkflow, sliceSize } from '../../domain/slice.ts';
import { pathAndQuery } from '../../domain/url.ts';
import { retrying } from '../../storage/retry.ts';
import { reclaimUrls } from '../../storage/statements/reclaim-urls.ts';
import { returnUrls } from '../../storage/statements/return-urls.ts';
import { waitingCrawls } from '../../storage/statements/waiting-crawls.ts';
import type { ResultRow } from '../../storage/statements/commit-results.ts';
import type { LeasedUrl } from '../../storage/statements/lease-urls.ts';
import type { OpenCrawl } from '../crawl-book.ts';
import type { FetchRoom } from './fetch-room.ts';
import { hostDelayMs } from './host-delay.ts';
import type { HostRules, HostTrouble } from './host-rules.ts';
import type { HostLease } from './lease-keeper.ts';
import { leaseWithinLimits } from './lease-within-limits.ts';
import { HostPacer } from './pacer.ts';
import { readRobots } from './read-robots.ts';
import { attemptedRow, excludedRow, record } from './record.ts';

/** How long a host waits whose robots.txt lies on another host that did not get free. */
const busyMs = 5_000;

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
}

export class Slice {
  readonly #room: FetchRoom;
  readonly #lease: HostLease;
  readonly #origin: string;
  readonly #signal: AbortSignal;
  readonly #endsAt: number;
  readonly #pacer: HostPacer;
  #manners: Manners;
  #failures: number;
  #settled = 0;
  #trouble: HostTrouble | null = null;

  constructor(room: FetchRoom, lease: HostLease, origin: string, sliceMs: number, signal: AbortSignal) {
    this.#room = room;
    this.#lease = lease;
    this.#origin = origin;
    this.#signal = signal;
    this.#endsAt = performance.now() + sliceMs;
    this.#manners = lease.taken;
    this.#failures = lease.taken.failures;
    this.#pacer = new HostPacer(lease, room.dependencies.fetcher, 0, lease.taken.wait_ms, signal);
  }

  /** Runs the slice and returns the lease. Throws only for faults of our own; the lease then runs out by itself. */
  async run(sliceMs: number): Promise<SliceEnd> {
    try {
      const next = await this.#work(sliceMs);
      await this.#putBack();
      const waitMs = Math.max(this.#pacer.waitMs, this.#trouble?.waitMs ?? 0);
      await this.#release(waitMs);
      return {
        settled: this.#settled,
        next: this.#trouble === null ? next : 'trouble',
        trouble: this.#trouble,
        failures: this.#failures,
        lastError: this.#lastError,
        waitMs,
        delayMs: this.#pacer.delayMs,
      };
    } catch (error) {
      await this.#giveBackAfter(error);
      throw error;
    }
  }

  async #work(sliceMs: number): Promise<'more' | 'idle' | 'wait'> {
    const { pool } = this.#room.dependencies;
    const { hostId, taken } = this.#lease;
    await retrying(() => reclaimUrls(pool, hostId, taken.token));
    const crawls = await this.#waitingCrawls();
    const known = await this.#room.robots.find(hostId);
    this.#setDelay(crawls, { robots: known.fresh ?? known.older, refused: null });
    // Whoever held the lease may have a request in flight: it counts from now.
    if (taken.unclean) this.#pacer.holdOff(this.#pacer.delayMs);
    if (sleepsInWorkflow(this.#pacer.waitMs, sliceMs)) return 'wait';
    if (crawls.length === 0) return 'idle';

    const limit = sliceSize(sliceMs, this.#pacer.delayMs);
    const urls = await leaseWithinLimits(pool, hostId, taken.token, limit, crawls);
    if (urls.length === 0) return 'idle';
    const reading = await readRobots(
      this.#room,
      this.#pacer,
      this.#origin,
      crawls,
      this.#failures,
      this.#signal,
    );
    if (reading === 'interrupted') return 'more';
    if (reading === 'busy') {
      this.#pacer.holdOff(busyMs);
      return 'more';
    }
    if ('class' in reading) {
      await this.#robotsTrouble(reading, urls);
      return 'more';
    }
    this.#setDelay(crawls, reading);
    await this.#room.admitSitemaps(hostId, this.#origin, crawls, reading);
    await this.#fetchAll(urls, reading);
    return 'more';
  }

  async #fetchAll(urls: readonly LeasedUrl[], rules: HostRules): Promise<void> {
    const refused: ResultRow[] = [];
    for (const url of urls) {
      if (this.#mustEnd) break;
      if (!(await this.#room.crawls.isRunning(url.crawl_id))) continue;
      const crawl = await this.#room.crawls.open(url.crawl_id);
      const refusal = refusalOf(url, crawl, rules, this.#origin);
      if (refusal !== null) refused.push(excludedRow(this.#place(url), refusal.reason, refusal.detail));
      else if (!(await this.#fetchOne(url, crawl))) break;
    }
    if (refused.length > 0) await this.#room.dependencies.writer.write({ results: refused });
    this.#settled += refused.length;
  }

  /** False: the slice must end. */
  async #fetchOne(url: LeasedUrl, crawl: OpenCrawl): Promise<boolean> {
    const { writer, blobs, settings } = this.#room.dependencies;
    const result = await this.#pacer.exchange({
      url: url.url,
      userAgent: crawl.userAgent,
      allowPrivate: crawl.allowPrivate,
      limits: { maxBodyBytes: settings.maxBodyBytes, totalTimeoutMs: settings.requestTimeoutMs },
      ...(url.etag === null ? {} : { etag: url.etag }),
      ...(url.last_modified === null ? {} : { lastModified: url.last_modified }),
    });
    if (result === null) return false;
    const { outcome, row, bodyHash, target } = record(result, url, this.#place(url), this.#failures);
    if (bodyHash !== null && result.kind === 'response') await blobs.put(bodyHash, result.body);
    const admissions =
      target === null
        ? []
        : await this.#room.admission.rowsFor([
            {
              crawl,
              link: target,
              kind: url.kind === 1 ? 'sitemap' : 'page',
              seed: false,
              depth: url.depth,
              hops: url.hops + 1,
              parent: { hostId: Number(this.#lease.hostId), key: url.key.toString('hex') },
            },
          ]);
    await writer.write({ results: [row], admissions });
    await this.#room.admission.remember(admissions);
    if (row.state !== 'queued') this.#settled++;
    this.#learn(outcome.host, row.detail ?? '');
    return this.#trouble === null;
  }

  /** What the answer says of the host. */
  #learn(host: ReturnType<typeof record>['outcome']['host'], message: string): void {
    this.#failures = host.counts ? this.#failures + 1 : 0;
    if (host.slower) this.#manners = slowDown(this.#manners);
    else if (!host.counts) this.#manners = easeUp(this.#manners);
    if (host.trouble !== null) this.#trouble = { ...host.trouble, message };
  }

  /** The first URL stands for the attempt: it was the one wanted. */
  async #robotsTrouble(trouble: HostTrouble, urls: readonly LeasedUrl[]): Promise<void> {
    const [first] = urls;
    this.#failures++;
    this.#trouble = trouble;
    if (first === undefined) return;
    const row = attemptedRow(this.#place(first), trouble.class, trouble.message);
    await this.#room.dependencies.writer.write({ results: [row] });
  }

  #setDelay(crawls: readonly OpenCrawl[], rules: HostRules): void {
    const host = { delay_ms: this.#lease.taken.delay_ms, slowdown: this.#manners.slowdown };
    this.#pacer.delayMs = hostDelayMs(host, crawls, rules.robots);
  }

  async #waitingCrawls(): Promise<OpenCrawl[]> {
    const rows = await waitingCrawls(this.#room.dependencies.pool, this.#lease.hostId);
    return Promise.all(rows.map(({ crawl_id }) => this.#room.crawls.open(crawl_id)));
  }

  async #putBack(): Promise<void> {
    const { hostId, taken } = this.#lease;
    await retrying(() => returnUrls(this.#room.dependencies.pool, hostId, taken.token));
  }

  /**
   * After a fault of our own: what was leased goes back and the lease is returned, so that no URL is taken for one that
   * crashes workers. Where even that fails the lease runs out by itself.
   */
  async #giveBackAfter(error: unknown): Promise<void> {
    const { log } = this.#room.dependencies;
    try {
      await this.#putBack();
      await this.#release(this.#pacer.waitMs);
    } catch (again) {
      this.#room.keeper.abandon(this.#lease);
      log.warn(
        { err: again, after: error, host: this.#origin },
        'a lease could not be returned; it runs out',
      );
    }
  }

  async #release(waitMs: number): Promise<void> {
    await this.#room.keeper.release(this.#lease, {
      waitMs,
      paceMs: this.#pacer.waitMs,
      slowdown: this.#manners.slowdown,
      clean: this.#manners.clean,
      failures: this.#failures,
      lastError: this.#lastError,
    });
  }

  /** An older trouble stands until an answer without complaint has come. */
  get #lastError(): string | null {
    if (this.#trouble !== null) return `${this.#trouble.class}: ${this.#trouble.message}`;
    return this.#failures === 0 ? null : this.#lease.taken.last_error;
  }

  get #mustEnd(): boolean {
    if (this.#signal.aborted || this.#lease.guestWaits || this.#lease.held === null) return true;
    const { waitMs } = this.#pacer;
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

/** Why no request may be sent for a URL; null: it may. */
function refusalOf(
  url: LeasedUrl,
  crawl: OpenCrawl,
  rules: HostRules,
  origin: string,
): { readonly reason: string; readonly detail: string } | null {
  if (rules.refused !== null) return { reason: 'address-refused', detail: rules.refused };
  const path = pathAndQuery({ url: url.url, host: origin });
  const verdict = rules.robots?.forAgent(crawl.agentToken).check(path);
  if (verdict === undefined || verdict.allowed) return null;
  return { reason: 'robots', detail: `robots.txt line ${String(verdict.line)}: ${verdict.rule ?? ''}` };
}
