/**
 * Reads a host's robots.txt (RFC 9309 §2.3): before any URL of it, at its pace, following up to five redirects. A hop
 * to another host takes that host's lease for the one request, so that its manners are kept too.
 */
import type { FetchFault, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { maxRobotsOctets, robotsAvailability, type Robots } from '../../domain/robots.ts';
import { askedPauseMs } from '../../domain/retry-after.ts';
import { canonicalize } from '../../domain/url.ts';
import { waitingCrawls } from '../../storage/statements/waiting-crawls.ts';
import type { Dependencies } from '../dependencies.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { HostVisit, lookAtHost, onErrand } from './host-visit.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import type { Refusal } from './record.ts';

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
      readonly retryAfterMs: number | null;
    }
  /** It redirects to a host that did not get free for the one request, or is closed; `waitMs`: until it may be. */
  | { readonly kind: 'busy'; readonly waitMs: number }
  /** The slice ended before it was read. */
  | { readonly kind: 'interrupted' };

/** As whom it is read. */
export interface Asker {
  readonly userAgent: string;
  readonly allowPrivate: readonly string[];
  /** Milliseconds for each request at most; absent: as for any. */
  readonly patienceMs?: number;
}

/** RFC 9309 §2.3.1.2. */
const maxHops = 5;
/** How long a hop waits for another host to make room. */
const guestPatienceMs = 15_000;
/** How long a host waits whose robots.txt lies on another host that did not get free. */
const busyMs = 5_000;

/** Anybody's may be read by whoever may reach the address: it is the host's, not one crawl's. */
export const asWhom = (crawls: readonly OpenCrawl[], { userAgent }: Pick<OpenCrawl, 'userAgent'>): Asker => ({
  userAgent,
  allowPrivate: crawls.flatMap(({ allowPrivate }) => allowPrivate),
});

export class RobotsFetcher {
  readonly #dependencies: Dependencies;
  readonly #keeper: LeaseKeeper;

  constructor(dependencies: Dependencies, keeper: LeaseKeeper) {
    this.#dependencies = dependencies;
    this.#keeper = keeper;
  }

  async fetch(visit: HostVisit, as: Asker, signal: AbortSignal): Promise<RobotsReading> {
    let url = `${visit.origin}/robots.txt`;
    for (let hop = 0; ; hop++) {
      const result = await this.#hop(visit, this.#request(url, as), signal);
      if (result === null) return { kind: 'interrupted' };
      if ('busyMs' in result) return { kind: 'busy', waitMs: result.busyMs };
      if ('refusal' in result) {
        // What it would allow cannot be known without the request that is not wanted (§2.3.1.4).
        const message = `robots.txt lies at ${url}, but ${result.refusal.detail}: nothing may be fetched`;
        return unreachable(null, null, message, null);
      }
      if (result.kind === 'fault') {
        // Of a redirect's target it says nothing about this host's own address.
        if (result.fault === 'address-refused' && hop === 0)
          return { kind: 'refused', message: result.message };
        return unreachable(result.fault, null, `robots.txt cannot be read: ${result.message}`, null);
      }
      const text = decode(result.body);
      result.release?.();
      const target = redirectTarget(result.status, result.headers['location'], url);
      if (target !== null && hop < maxHops) {
        url = target;
        continue;
      }
      const { hostId } = visit.lease;
      const { robots: book } = this.#dependencies.books;
      // Five hops that lead nowhere, or a hop to nowhere: unavailable, as if there were none (§2.3.1.2).
      const availability =
        result.status >= 300 && result.status < 400 ? 'allow-all' : robotsAvailability(result.status);
      switch (availability) {
        case 'parse':
          if (result.truncated === 'incomplete' || result.truncated === 'bad-encoding') {
            // Half a file is half its rules; one that is merely too long is cut as the RFC says (§2.5).
            return unreachable('reset', result.status, 'robots.txt broke off before its end', null);
          }
          return { kind: 'rules', robots: await book.save(hostId, result.status, text) };
        case 'allow-all':
          return { kind: 'rules', robots: await book.save(hostId, result.status, null) };
        case 'unreachable': {
          const message = `robots.txt answers ${String(result.status)}, so nothing may be fetched`;
          return unreachable(null, result.status, message, askedPauseMs(result.headers, Date.now()));
        }
      }
    }
  }

  /** One request at its own host's pace, whichever host that is. */
  async #hop(
    visit: HostVisit,
    request: FetchRequest,
    signal: AbortSignal,
  ): Promise<FetchResult | { readonly busyMs: number } | { readonly refusal: Refusal } | null> {
    const target = canonicalize(request.url);
    if (!target.ok || target.value.host === visit.origin) return visit.exchange(request);
    const { host } = target.value;
    const { pool, books } = this.#dependencies;
    // Who opted out is not even asked to make room.
    const stopped = await lookAtHost(this.#dependencies, host);
    if (stopped?.kind === 'never') return stopped;
    const hostId = await books.hosts.idOf(host);
    const lease = await this.#keeper.takeAsGuest(hostId, guestPatienceMs, signal);
    if (lease === null) return signal.aborted ? null : { busyMs };
    const guest = new HostVisit(this.#dependencies, lease, host, signal);
    return onErrand(
      this.#keeper,
      guest,
      () => waitingCrawls(pool, hostId),
      async () => {
        const closed = await guest.mayBegin((waitMs) => waitMs <= guestPatienceMs);
        if (closed?.kind === 'never') return closed;
        if (closed !== null) return { busyMs: Math.max(guest.waitMs, lease.allowance.closedMs, busyMs) };
        return guest.exchange(request);
      },
    );
  }

  #request(url: string, { userAgent, allowPrivate, patienceMs = Infinity }: Asker): FetchRequest {
    return {
      url,
      userAgent,
      allowPrivate,
      // One octet more than is read of it: so that the parser sees that a line was cut, and which.
      limits: {
        maxBodyBytes: maxRobotsOctets + 1,
        totalTimeoutMs: Math.min(patienceMs, this.#dependencies.settings.requestTimeoutMs),
      },
    };
  }
}

const unreachable = (
  fault: FetchFault | null,
  status: number | null,
  message: string,
  retryAfterMs: number | null,
): RobotsReading => ({ kind: 'unreachable', fault, status, message, retryAfterMs });

function redirectTarget(status: number, location: string | undefined, base: string): string | null {
  if (status < 300 || status >= 400 || location === undefined) return null;
  const target = canonicalize(location, base);
  return target.ok ? target.value.url : null;
}

/** robots.txt is UTF-8 (§2.2); bytes that are not are replaced and match nothing. */
const decode = (body: Uint8Array): string => new TextDecoder('utf-8').decode(body);
