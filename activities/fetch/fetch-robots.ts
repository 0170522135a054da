/**
 * Reads a host's robots.txt (RFC 9309 §2.3): before any URL of it, at its pace, following up to five redirects. A hop
 * to another host takes that host's lease for the one request, so that its manners are kept too.
 */
import type { FetchFault, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { maxRobotsOctets, robotsAvailability, type Robots } from '../../domain/robots.ts';
import { canonicalize } from '../../domain/url.ts';
import { waitingCrawls } from '../../storage/statements/waiting-crawls.ts';
import type { CrawlBook } from '../crawl-book.ts';
import type { Dependencies } from '../dependencies.ts';
import type { HostBook } from '../host-book.ts';
import { hostDelayMs } from './host-delay.ts';
import type { HostLease, LeaseKeeper } from './lease-keeper.ts';
import { HostPacer } from './pacer.ts';
import type { RobotsBook } from './robots-book.ts';

export type RobotsReading =
  | { readonly kind: 'rules'; readonly robots: Robots }
  /** Guarded address: nothing may be sent to this host at all. */
  | { readonly kind: 'refused'; readonly message: string }
  /** No fetch until it can be read (§2.3.1.4). `fault` null: the server answered, with `status`. */
  | {
      readonly kind: 'unreachable';
      readonly fault: FetchFault | null;
      readonly status: number | null;
      readonly message: string;
      readonly retryAfter: string | null;
    }
  /** It redirects to a host that did not get free for the one request. */
  | { readonly kind: 'busy' }
  /** The slice ended before it was read. */
  | { readonly kind: 'interrupted' };

/** RFC 9309 §2.3.1.2. */
const maxHops = 5;
/** How long a hop waits for another host to make room. */
const guestPatienceMs = 15_000;

export class RobotsFetcher {
  readonly #dependencies: Dependencies;
  readonly #book: RobotsBook;
  readonly #hosts: HostBook;
  readonly #crawls: CrawlBook;
  readonly #keeper: LeaseKeeper;

  constructor(
    dependencies: Dependencies,
    book: RobotsBook,
    hosts: HostBook,
    crawls: CrawlBook,
    keeper: LeaseKeeper,
  ) {
    this.#dependencies = dependencies;
    this.#book = book;
    this.#hosts = hosts;
    this.#crawls = crawls;
    this.#keeper = keeper;
  }

  async fetch(
    pacer: HostPacer,
    origin: string,
    as: { readonly userAgent: string; readonly allowPrivate: readonly string[] },
    signal: AbortSignal,
  ): Promise<RobotsReading> {
    let url = `${origin}/robots.txt`;
    for (let hop = 0; ; hop++) {
      const result = await this.#hop(pacer, origin, this.#request(url, as), signal);
      if (result === null) return { kind: 'interrupted' };
      if (result === 'busy') return { kind: 'busy' };
      if (result.kind === 'fault') {
        // Of a redirect's target it says nothing about this host's own address.
        if (result.fault === 'address-refused' && hop === 0)
          return { kind: 'refused', message: result.message };
        return unreachable(result.fault, null, `robots.txt cannot be read: ${result.message}`, null);
      }
      const target = redirectTarget(result.status, result.headers['location'], url);
      if (target !== null && hop < maxHops) {
        url = target;
        continue;
      }
      if (result.truncated === 'incomplete' || result.truncated === 'bad-encoding') {
        // Half a file is half its rules; one that is merely too long is cut as the RFC says (§2.5).
        return unreachable('reset', result.status, 'robots.txt broke off before its end', null);
      }
      const { hostId } = pacer.lease;
      // Five hops that lead nowhere, or a hop to nowhere: unavailable, as if there were none (§2.3.1.2).
      const availability =
        result.status >= 300 && result.status < 400 ? 'allow-all' : robotsAvailability(result.status);
      switch (availability) {
        case 'parse':
          return { kind: 'rules', robots: await this.#book.save(hostId, result.status, decode(result.body)) };
        case 'allow-all':
          return { kind: 'rules', robots: await this.#book.save(hostId, result.status, null) };
        case 'unreachable': {
          const message = `robots.txt answers ${String(result.status)}, so nothing may be fetched`;
          return unreachable(null, result.status, message, result.headers['retry-after'] ?? null);
        }
      }
    }
  }

  /** One request at its own host's pace, whichever host that is. */
  async #hop(
    pacer: HostPacer,
    origin: string,
    request: FetchRequest,
    signal: AbortSignal,
  ): Promise<FetchResult | 'busy' | null> {
    const target = canonicalize(request.url);
    if (!target.ok || target.value.host === origin) return pacer.exchange(request);
    const hostId = await this.#hosts.idOf(target.value.host);
    const lease = await this.#keeper.takeAsGuest(hostId, guestPatienceMs, signal);
    if (lease === null) return signal.aborted ? null : 'busy';
    const { taken } = lease;
    const delayMs = await this.#delayAt(lease);
    const guest = new HostPacer(
      lease,
      this.#dependencies.fetcher,
      delayMs,
      Math.max(taken.wait_ms, taken.unclean ? delayMs : 0),
      signal,
    );
    try {
      return guest.waitMs > guestPatienceMs ? 'busy' : await guest.exchange(request);
    } finally {
      await this.#keeper.release(lease, {
        waitMs: guest.waitMs,
        paceMs: guest.waitMs,
        slowdown: taken.slowdown,
        clean: taken.clean,
        failures: taken.failures,
        lastError: taken.last_error,
      });
    }
  }

  /** The pace of a host this slice is a guest at: its own robots.txt, crawls and manners count, as in its own slices. */
  async #delayAt({ hostId, taken }: HostLease): Promise<number> {
    const rows = await waitingCrawls(this.#dependencies.pool, hostId);
    const crawls = await Promise.all(rows.map(({ crawl_id }) => this.#crawls.open(crawl_id)));
    const { fresh, older } = await this.#book.find(hostId);
    return hostDelayMs(taken, crawls, fresh ?? older);
  }

  #request(
    url: string,
    as: { readonly userAgent: string; readonly allowPrivate: readonly string[] },
  ): FetchRequest {
    return {
      url,
      ...as,
      limits: { maxBodyBytes: maxRobotsOctets, totalTimeoutMs: this.#dependencies.settings.requestTimeoutMs },
    };
  }
}

const unreachable = (
  fault: FetchFault | null,
  status: number | null,
  message: string,
  retryAfter: string | null,
): RobotsReading => ({ kind: 'unreachable', fault, status, message, retryAfter });

function redirectTarget(status: number, location: string | undefined, base: string): string | null {
  if (status < 300 || status >= 400 || location === undefined) return null;
  const target = canonicalize(location, base);
  return target.ok ? target.value.url : null;
}

/** robots.txt is UTF-8 (§2.2); bytes that are not are replaced and match nothing. */
const decode = (body: Uint8Array): string => new TextDecoder('utf-8').decode(body);
