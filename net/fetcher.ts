/**
 * The fetcher: one HTTP exchange a call, on connections to permitted addresses only.
 *
 * Agents are kept by what their connections may reach, so that a connection opened for a crawl that may reach private
 * addresses never serves one that may not. An agent has one connection an origin, HTTP/1.1 or HTTP/2 as the server
 * chooses; idle ones close after seconds, and nothing of an origin is left then.
 */
import { LRUCache } from 'lru-cache';
import { Agent } from 'undici';
import type { Fetcher, FetchRequest, FetchResult } from '../contracts/fetching.ts';
import { parseCidrs } from './address-guard.ts';
import { createConnector, type Connector } from './connector.ts';
import { acceptEncoding } from './content-coding.ts';
import { Exchange } from './exchange.ts';
import { systemResolver, type Resolver } from './resolver.ts';

export interface FetcherOptions {
  readonly resolver?: Resolver;
  /** Milliseconds to resolve, connect and shake hands; 10 s by default. The total limit of a request holds besides. */
  readonly connectTimeoutMs?: number;
  /** PEM certificates trusted instead of the bundled authorities. */
  readonly ca?: string;
}

/** Bytes of a response's header fields at most, beyond any that browsers accept. */
const maxHeaderBytes = 64 * 1024;
/** Milliseconds an idle connection is kept, and no longer where a server offers more. */
const keepAliveMs = 4_000;
/** Sets of permitted addresses in use at a time; a set that comes back later gets a new agent. */
const maxAgents = 16;

interface GuardedAgent {
  readonly agent: Agent;
  readonly connector: Connector;
}

/**
 * `fetch` rejects in three cases only, none of which is the web's doing: with the reason of `signal` once it aborts,
 * with a RangeError or TypeError for an `allowPrivate` entry or user agent that is none, and with the system's error
 * when this machine is out of files, sockets or memory.
 */
export function createFetcher(options: FetcherOptions = {}): Fetcher {
  const closing = new Set<Promise<void>>();
  const agents = new LRUCache<string, GuardedAgent>({
    max: maxAgents,
    dispose: ({ agent }) => {
      const close = agent.close().finally(() => closing.delete(close));
      closing.add(close);
    },
  });
  let closed = false;

  function agentFor(allowPrivate: readonly string[]): GuardedAgent {
    const key =
      allowPrivate.length < 2 ? (allowPrivate[0] ?? '') : [...new Set(allowPrivate)].sort().join(' ');
    const known = agents.get(key);
    if (known !== undefined) return known;
    const made = createAgent(allowPrivate, options);
    agents.set(key, made);
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
      const { agent, connector } = agentFor(request.allowPrivate);
      const { origin } = url;
      const exchange = new Exchange({
        where: url.port === '' ? `${url.host}:${url.protocol === 'https:' ? '443' : '80'}` : url.host,
        limits: request.limits,
        maxHeaderBytes,
        signal: request.signal,
        connection: () => connector.connectionOf(origin),
      });
      agent.dispatch({ origin, path: url.pathname + url.search, method: 'GET', headers }, exchange);
      return exchange.result;
    },

    /** Lets the requests in flight end (their own limits bound that) and closes every connection. */
    async close(): Promise<void> {
      closed = true;
      agents.clear();
      await Promise.all(closing);
    },
  };
}

function createAgent(allowPrivate: readonly string[], options: FetcherOptions): GuardedAgent {
  const connector = createConnector({
    allowed: parseCidrs(allowPrivate),
    resolver: options.resolver ?? systemResolver,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  });
  const agent = new Agent({
    connect: connector.connect,
    connections: 1,
    pipelining: 1,
    allowH2: true,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    maxHeaderSize: maxHeaderBytes,
    // The exchange's own limit spans both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, connector };
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
