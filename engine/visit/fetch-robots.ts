/**
 * Reads a host's robots.txt (RFC 9309 §2.3): before any URL of the host, at its pace, following up to five redirects. A
 * redirect to another host takes that host's lease for one request, so that its pace is kept too.
 */
import type { FetchFault, FetchRequest, FetchResult } from '../../contracts/fetching.ts';
import { robotsFreshMs, robotsKeptMs } from '../../domain/robots-freshness.ts';
import { maxRobotsOctets, robotsAvailability, type Robots } from '../../domain/robots.ts';
import { askedPauseMs } from '../../domain/retry-after.ts';
import { canonicalize } from '../../domain/url.ts';
import { waitingCrawls } from '../../storage/feeding/index.ts';
import { keepRobots, robotsKey, type Capture } from '../../storage/archive/index.ts';
import type { Dependencies } from '../dependencies.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import { aloneOf } from './capture.ts';
import { HostVisit, lookAtHost, onErrand } from './host-visit.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { leadsNowhere, type Refusal } from './record.ts';
import { sleep } from './sleep.ts';

export type RobotsReading =
  /** `freshMs`: for how long they may be used, before the delay of the host is added. */
  | {
      readonly kind: 'rules';
      readonly robots: Robots;
      readonly freshMs: number;
      readonly from: string | null;
    }
  /** The host's address is guarded: nothing may be sent to it at all. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Nothing is fetched until robots.txt can be read (§2.3.1.4). `fault` null: the server answered, with `status`. */
  | {
      readonly kind: 'unreachable';
      readonly fault: FetchFault | null;
      readonly status: number | null;
      readonly message: string;
      readonly retryAfterMs: number | null;
    }
  /** It redirects to a host that is busy or closed. `waitMs`: milliseconds until that host may be free. */
  | { readonly kind: 'busy'; readonly waitMs: number }
  /** The slice ended before robots.txt was read. */
  | { readonly kind: 'interrupted' };

/** On whose behalf robots.txt is read. */
export interface Asker {
  readonly userAgent: string;
  readonly allowPrivate: readonly string[];
  /** Time limit of each request in milliseconds; absent: the usual limit. */
  readonly patienceMs?: number;
  /** The crawl in whose archive the answers are kept; null: in none. */
  readonly crawlId: number | null;
}

/** RFC 9309 §2.3.1.2. */
const maxHops = 5;
/** Milliseconds for which a redirect waits for another host's lease. */
const guestPatienceMs = 15_000;
/** Milliseconds for which a host waits if its robots.txt lies on another host that is busy. */
const busyMs = 5_000;

/** robots.txt belongs to the host, not to one crawl: it may be read if any of the crawls may reach the address. */
export const asWhom = (crawls: readonly OpenCrawl[], { userAgent }: Pick<OpenCrawl, 'userAgent'>): Asker => ({
  userAgent,
  allowPrivate: crawls.flatMap(({ allowPrivate }) => allowPrivate),
  crawlId: crawls[0]?.id ?? null,
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
    // Of the visited host, not of one to which it redirects.
    let address: string | null = null;
    for (let hop = 0; ; hop++) {
      visit.goesOn();
      const request = this.#request(url, as);
      const result = await this.#hop(visit, request, signal);
      if (result === null) return { kind: 'interrupted' };
      if ('busyMs' in result) return { kind: 'busy', waitMs: result.busyMs };
      if ('refusal' in result) {
        // Without this request, which must not be sent, nobody knows what robots.txt allows (§2.3.1.4).
        const message = `robots.txt lies at ${url}, but ${result.refusal.detail}: nothing may be fetched`;
        return unreachable(null, null, message, null);
      }
      if (result.kind === 'fault') {
        // After a redirect, the refused address is the target's, not this host's.
        if (result.fault === 'address-refused' && hop === 0)
          return { kind: 'refused', message: result.message };
        return unreachable(result.fault, null, `robots.txt cannot be read: ${result.message}`, null);
      }
      if (hop === 0) address = result.remoteAddress;
      const text = decode(result.body);
      try {
        if (as.crawlId !== null)
          await this.#keep(visit.lease.hostId, as.crawlId, hop, aloneOf(request, result));
      } finally {
        result.release?.();
      }
      const target = redirectTarget(result.status, result.headers['location'], url);
      if (target !== null && hop < maxHops) {
        const laterMs = askedPauseMs(result.headers, Date.now()) ?? 0;
        if (laterMs > guestPatienceMs) {
          const message = `robots.txt redirects to ${target}, where nobody is to ask yet: nothing may be fetched`;
          return unreachable(null, result.status, message, laterMs);
        }
        await sleep(laterMs, signal);
        url = target;
        continue;
      }
      const keptMs = robotsKeptMs(result.headers);
      const rules = async (body: string | null): Promise<RobotsReading> => {
        const { books, regions } = this.#dependencies;
        const from = { address, place: regions?.placeOf(address) ?? null };
        const robots = await books.robots.save(visit.lease.hostId, result.status, body, from, keptMs);
        return { kind: 'rules', robots, freshMs: robotsFreshMs(0, keptMs), from: address };
      };
      // More than five redirects, or one without a target: unavailable, as if there were no robots.txt (§2.3.1.2).
      const availability =
        result.status >= 300 && result.status < 400 ? 'allow-all' : robotsAvailability(result.status);
      switch (availability) {
        case 'parse':
          if (result.truncated === 'incomplete' || result.truncated === 'bad-encoding') {
            // A file that breaks off has lost rules. A file that is only too long is cut, as the RFC says (§2.5).
            return unreachable('reset', result.status, 'robots.txt broke off before its end', null);
          }
          return rules(text);
        case 'allow-all':
          return rules(null);
        case 'unreachable': {
          const message = `robots.txt answers ${String(result.status)}, so nothing may be fetched`;
          return unreachable(null, result.status, message, askedPauseMs(result.headers, Date.now()));
        }
      }
    }
  }

  /** In the archive of the crawl: a visit whose disk is away ends here, and reads robots.txt again later. */
  async #keep(hostId: string, crawlId: number, hop: number, capture: Capture): Promise<void> {
    const { blobs, pool } = this.#dependencies;
    const { segment, at, length } = await blobs.put(capture);
    await keepRobots(pool, { hostId, crawlId, key: robotsKey(hop), segment, at, length });
  }

  /** Sends one request at the pace of its host, which may be another one than the visited host. */
  async #hop(
    visit: HostVisit,
    request: FetchRequest,
    signal: AbortSignal,
  ): Promise<FetchResult | { readonly busyMs: number } | { readonly refusal: Refusal } | null> {
    const target = canonicalize(request.url);
    if (!target.ok || target.value.host === visit.origin)
      return visit.exchangeRobots(request, guestPatienceMs);
    const { host } = target.value;
    const { pool, books } = this.#dependencies;
    // A host that has opted out is not even asked to make room.
    const stopped = await lookAtHost(this.#dependencies, host);
    if (stopped?.kind === 'never') return stopped;
    const hostId = await books.hosts.idOf(host);
    const lease = await this.#keeper.takeAsGuest(hostId, guestPatienceMs, signal);
    if (lease === null) return signal.aborted ? null : { busyMs };
    const guest = new HostVisit(this.#dependencies, lease, host, signal);
    return onErrand(
      guest,
      () => waitingCrawls(pool, hostId),
      async () => {
        const closed = await guest.mayBegin((waitMs) => waitMs <= guestPatienceMs);
        if (closed?.kind === 'never') return closed;
        if (closed !== null) return { busyMs: Math.max(guest.waitMs, lease.allowance.closedMs, busyMs) };
        return guest.exchangeRobots(request);
      },
    );
  }

  #request(url: string, { userAgent, allowPrivate, patienceMs = Infinity }: Asker): FetchRequest {
    return {
      url,
      userAgent,
      allowPrivate,
      // One octet more than is parsed, so that the parser sees whether and where a line was cut.
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
  if (location.includes(leadsNowhere)) return null;
  const target = canonicalize(location, base);
  return target.ok ? target.value.url : null;
}

/** robots.txt is UTF-8 (§2.2); bytes that are not are replaced and match nothing. */
const decode = (body: Uint8Array): string => new TextDecoder('utf-8').decode(body);
