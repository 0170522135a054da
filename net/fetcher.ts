/**
 * The fetcher: one HTTP exchange a call, on connections to permitted addresses only.
 *
 * Connections are kept apart by what they may reach, so that one opened for a crawl that may reach private addresses
 * never serves another that may not, nor one that goes by a proxy another that does not: each such set has a realm of its
 * own. A realm has one connection an origin,
 * HTTP/1.1 or HTTP/2 as the server chooses, with one request on it at a time; idle ones close after seconds.
 */
import { LRUCache } from 'lru-cache';
import {
  NoRoomForBody,
  type Fetcher,
  type FetchRequest,
  type FetchResponse,
  type FetchResult,
} from '../contracts/fetching.ts';
import { parseCidrs } from './address-guard.ts';
import { BodyBudget } from './body-budget.ts';
import { createConnector, type Connector } from './connector.ts';
import { acceptEncoding } from './content-coding.ts';
import { Exchange } from './exchange.ts';
import { OriginClients, type ExchangeEnd } from './origin-clients.ts';
import type { OwnServices } from './own-services.ts';
import { systemResolver, type Resolver } from './resolver.ts';

export interface FetcherOptions {
  readonly resolver?: Resolver;
  /** Places that are never reached, whatever a request allows; absent: none. */
  readonly own?: OwnServices;
  /** Milliseconds to resolve, connect and shake hands; 10 s by default. The total limit of a request holds besides. */
  readonly connectTimeoutMs?: number;
  /** PEM certificates trusted instead of the bundled authorities. */
  readonly ca?: string;
  /** False: HTTP/1.1 only. */
  readonly http2?: boolean;
  /** Bytes of large bodies in flight at a time at most, shared by all requests; 128 MiB by default. */
  readonly bodyBudgetBytes?: number;
  /** Called for each request that is given up for want of room. */
  readonly onNoRoom?: (error: NoRoomForBody) => void;
}

/** Most bytes of a response's header fields: eight times what most servers allow themselves. */
const maxHeaderBytes = 64 * 1024;
/** Milliseconds an idle connection is kept, and no longer where a server offers more. */
const keepAliveMs = 4_000;
/** Sets of permitted addresses, by lane, in use at a time; one that comes back later gets a new realm. */
const maxRealms = 64;
const usualBodyBudget = 128 * 1024 * 1024;

interface Realm {
  readonly clients: OriginClients;
  readonly connector: Connector;
}

/**
 * `fetch` rejects in five cases only, none of which is the web's doing: with the reason of `signal` once it aborts,
 * with NoRoomForBody, with ProxyDown, with a RangeError or TypeError if an `allowPrivate` entry or the user agent is not valid, and with
 * the system's error when this machine is out of files, sockets or memory.
 */
export function createFetcher(options: FetcherOptions = {}): Fetcher {
  const closing = new Set<Promise<void>>();
  const realms = new LRUCache<string, Realm>({
    max: maxRealms,
    dispose: ({ clients }) => {
      const close = clients.close().finally(() => closing.delete(close));
      closing.add(close);
    },
  });
  const budget = new BodyBudget(options.bodyBudgetBytes ?? usualBodyBudget);
  let closed = false;

  function realmFor({
    allowPrivate,
    lane = 0,
    proxy,
  }: Pick<FetchRequest, 'allowPrivate' | 'lane' | 'proxy'>): Realm {
    const set =
      allowPrivate.length < 2 ? (allowPrivate[0] ?? '') : [...new Set(allowPrivate)].sort().join(' ');
    const ofLane = lane === 0 ? set : `${set} ${String(lane)}`;
    const key = proxy === undefined ? ofLane : `${ofLane} ${proxy}`;
    const known = realms.get(key);
    if (known !== undefined) return known;
    const made = createRealm(allowPrivate, proxy, options);
    realms.set(key, made);
    return made;
  }

  return {
    async fetch(request): Promise<FetchResult> {
      if (closed) throw new Error('the fetcher is closed');
      request.signal?.throwIfAborted();
      const headers = requestHeaders(request);
      const url = URL.parse(request.url);
      if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
        const message = `${JSON.stringify(request.url.slice(0, 200))} is no absolute http(s) URL.`;
        return { kind: 'fault', fault: 'protocol', message, endAt: performance.now() };
      }
      const { clients, connector } = realmFor(request);
      const { origin } = url;
      const exchange = new Exchange({
        where: url.port === '' ? `${url.host}:${url.protocol === 'https:' ? '443' : '80'}` : url.host,
        limits: request.limits,
        maxHeaderBytes,
        signal: request.signal,
        maySend: request.maySend,
        onWithheld: () => {
          connector.stayThere(origin);
        },
        wantsBody: request.wantsBody,
        connection: () => connector.connectionOf(origin),
        budget,
        onHttp1Wanted: () => {
          connector.avoidHttp2(origin);
        },
      });
      const over = clients.dispatch(origin, url.pathname + url.search, headers, exchange);
      let end: ExchangeEnd = 'broken';
      try {
        const result = await exchange.result;
        if (result.kind === 'response') end = isCut(result) || result.mended === true ? 'broken' : 'whole';
        else if (result.repeatable === true) end = 'unheard';
        return result;
      } catch (error) {
        if (error instanceof NoRoomForBody) options.onNoRoom?.(error);
        throw error;
      } finally {
        over(end);
      }
    },

    async addressOf(request): Promise<string | null> {
      const url = URL.parse(request.url);
      if (url === null) return null;
      const { connector } = realmFor(request);
      const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
      return connector.addressOf(url.origin, url.hostname.replace(/^\[(.*)\]$/, '$1'), port);
    },

    /** Lets the requests in flight end (their own limits bound that) and closes every connection. */
    async close(): Promise<void> {
      closed = true;
      realms.clear();
      await Promise.all(closing);
    },
  };
}

function createRealm(
  allowPrivate: readonly string[],
  proxy: string | undefined,
  options: FetcherOptions,
): Realm {
  const connector = createConnector({
    allowed: parseCidrs(allowPrivate),
    ...(options.own === undefined ? {} : { own: options.own }),
    resolver: options.resolver ?? systemResolver,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    ...(proxy !== undefined && { proxy: new URL(proxy) }),
    http2: options.http2 ?? true,
    maxHeaderBytes,
  });
  const clients = new OriginClients({
    connect: connector.connect,
    pipelining: 1,
    allowH2: options.http2 ?? true,
    h2Options: { maxConcurrentStreams: 1 },
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    // The exchange's own limit spans both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { clients, connector };
}

/** Bytes of it may still be on their way; a session that made them may be beyond repair. */
const isCut = ({ truncated }: FetchResponse): boolean =>
  truncated === 'too-large' || truncated === 'incomplete';

function requestHeaders({ userAgent, etag, lastModified, headers: given = {} }: FetchRequest): string[] {
  if (!isFieldValue(userAgent)) throw new TypeError(`"${userAgent}" cannot be sent as User-Agent`);
  const headers = ['user-agent', userAgent, 'accept-encoding', acceptEncoding];
  const own = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  if (!own.some(([name]) => name === 'accept'))
    headers.push('accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
  headers.push(...own.flat());
  // Validators come from the web; one that cannot be sent back is no use and no error.
  if (etag !== undefined && isFieldValue(etag)) headers.push('if-none-match', etag);
  if (lastModified !== undefined && isFieldValue(lastModified))
    headers.push('if-modified-since', lastModified);
  return headers;
}

/** RFC 9110 section 5.5, bytes above ASCII as latin1. */
const isFieldValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(value);
