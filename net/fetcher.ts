/**
 * The fetcher: one HTTP exchange a call, on connections to permitted addresses only.
 *
 * Connections are kept apart by what they may reach, so that one opened for a crawl that may reach private addresses
 * never serves another that may not: each such set has a realm of its own. A realm has one connection an origin,
 * HTTP/1.1 or HTTP/2 as the server chooses; idle ones close after seconds.
 */
import { LRUCache } from 'lru-cache';
import type { Fetcher, FetchRequest, FetchResult } from '../contracts/fetching.ts';
import { parseCidrs } from './address-guard.ts';
import { createConnector, type Connector } from './connector.ts';
import { acceptEncoding } from './content-coding.ts';
import { Exchange } from './exchange.ts';
import { OriginClients } from './origin-clients.ts';
import { systemResolver, type Resolver } from './resolver.ts';

export interface FetcherOptions {
  readonly resolver?: Resolver;
  /** Milliseconds to resolve, connect and shake hands; 10 s by default. The total limit of a request holds besides. */
  readonly connectTimeoutMs?: number;
  /** PEM certificates trusted instead of the bundled authorities. */
  readonly ca?: string;
}

/** Bytes of a response's header fields at most: eight times what most servers let themselves send. */
const maxHeaderBytes = 64 * 1024;
/** Milliseconds an idle connection is kept, and no longer where a server offers more. */
const keepAliveMs = 4_000;
/** Sets of permitted addresses in use at a time; a set that comes back later gets a new realm. */
const maxRealms = 16;

interface Realm {
  readonly clients: OriginClients;
  readonly connector: Connector;
}

/**
 * `fetch` rejects in three cases only, none of which is the web's doing: with the reason of `signal` once it aborts,
 * with a RangeError or TypeError for an `allowPrivate` entry or user agent that is none, and with the system's error
 * when this machine is out of files, sockets or memory.
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
  let closed = false;

  function realmFor(allowPrivate: readonly string[]): Realm {
    const key =
      allowPrivate.length < 2 ? (allowPrivate[0] ?? '') : [...new Set(allowPrivate)].sort().join(' ');
    const known = realms.get(key);
    if (known !== undefined) return known;
    const made = createRealm(allowPrivate, options);
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
      const { clients, connector } = realmFor(request.allowPrivate);
      const { origin } = url;
      const exchange = new Exchange({
        where: url.port === '' ? `${url.host}:${url.protocol === 'https:' ? '443' : '80'}` : url.host,
        limits: request.limits,
        maxHeaderBytes,
        signal: request.signal,
        maySend: request.maySend,
        connection: () => connector.connectionOf(origin),
      });
      clients.dispatch(origin, url.pathname + url.search, headers, exchange);
      return exchange.result;
    },

    /** Lets the requests in flight end (their own limits bound that) and closes every connection. */
    async close(): Promise<void> {
      closed = true;
      realms.clear();
      await Promise.all(closing);
    },
  };
}

function createRealm(allowPrivate: readonly string[], options: FetcherOptions): Realm {
  const connector = createConnector({
    allowed: parseCidrs(allowPrivate),
    resolver: options.resolver ?? systemResolver,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const clients = new OriginClients({
    connect: connector.connect,
    pipelining: 1,
    allowH2: true,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    // The exchange's own limit spans both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { clients, connector };
}

function requestHeaders({ userAgent, etag, lastModified }: FetchRequest): string[] {
  if (!isFieldValue(userAgent)) throw new TypeError(`"${userAgent}" cannot be sent as User-Agent`);
  const headers = [
    'user-agent',
    userAgent,
    'accept',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-encoding',
    acceptEncoding,
  ];
  // Validators come from the web; one that cannot be sent back is no use and no error.
  if (etag !== undefined && isFieldValue(etag)) headers.push('if-none-match', etag);
  if (lastModified !== undefined && isFieldValue(lastModified))
    headers.push('if-modified-since', lastModified);
  return headers;
}

/** RFC 9110 section 5.5, bytes above ASCII as latin1. */
const isFieldValue = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(value);
