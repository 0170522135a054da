/**
 * Reads a host's robots.txt (RFC 9309 §2.3): before any URL of it, at its pace, following up to five redirects. A hop
 * to another host takes that host's lease for the one request, so that its manners are kept too.
 */
import type { FetchFault, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { defaultDelayMs, effectiveDelayMs } from '../../domain/pace.ts';
import { maxRobotsOctets, robotsAvailability, type Robots } from '../../domain/robots.ts';
import { canonicalize } from '../../domain/url.ts';
import type { Dependencies } from '../dependencies.ts';
import type { HostBook } from '../host-book.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
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
  readonly #keeper: LeaseKeeper;

  constructor(dependencies: Dependencies, book: RobotsBook, hosts: HostBook, keeper: LeaseKeeper) {
    this.#dependencies = dependencies;
    this.#book = book;
    this.#hosts = hosts;
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
      if (result.kind === 'fault') {
        if (result.fault === 'address-refused') return { kind: 'refused', message: result.message };
        return unreachable(result.fault, null, `robots.txt cannot be read: ${result.message}`, null);
      }
      const target = redirectTarget(result.status, result.headers['location'], url);
      if (target !== null && hop < maxHops) {
        url = target;
        continue;
      }
      const { hostId } = pacer.lease;
      // Five hops that lead nowhere, or a hop to nowhere: unavailable, as if there were none (§2.3.1.2).
      const availability = result.status >= 300 && result.status < 400 ? 'allow-all' : robotsAvailability(result.status);
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
  ): Promise<FetchResult | null> {
    const target = canonicalize(request.url);
    if (!target.ok || target.value.host === origin) return pacer.exchange(request);
    const hostId = await this.#hosts.idOf(target.value.host);
    const lease = await this.#keeper.takeAsGuest(hostId, guestPatienceMs, signal);
    if (lease === null) return signal.aborted ? null : busy(target.value.host);
    const { taken } = lease;
    const delayMs = effectiveDelayMs({
      operatorMs: taken.delay_ms,
      crawlsMs: [],
      robotsMs: defaultDelayMs,
      slowdown: taken.slowdown,
    });
    const guest = new HostPacer(
      lease,
      this.#dependencies.fetcher,
      delayMs,
      Math.max(taken.wait_ms, taken.unclean ? delayMs : 0),
      signal,
    );
    try {
      return guest.waitMs > guestPatienceMs ? busy(target.value.host) : await guest.exchange(request);
    } finally {
      await this.#keeper.release(lease, {
        waitMs: guest.waitMs,
        slowdown: taken.slowdown,
        clean: taken.clean,
        failures: taken.failures,
        lastError: taken.last_error,
      });
    }
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

/** The host a robots.txt redirects to is being left alone or does not get free: as unreachable as if it were down. */
const busy = (host: string): FetchResult => ({
  kind: 'fault',
  fault: 'timeout',
  message: `it redirects to ${host}, which may not be visited now`,
  endAt: performance.now(),
});

function redirectTarget(status: number, location: string | undefined, base: string): string | null {
  if (status < 300 || status >= 400 || location === undefined) return null;
  const target = canonicalize(location, base);
  return target.ok ? target.value.url : null;
}

/** robots.txt is UTF-8 (§2.2); bytes that are not are replaced and match nothing. */
const decode = (body: Uint8Array): string => new TextDecoder('utf-8').decode(body);
