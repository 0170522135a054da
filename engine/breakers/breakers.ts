/** The breakers of a worker process, each in front of a dependency (docs/design.md, "Faults of ours"). */
import type { Logger } from 'pino';
import { outageName, type OutDependency, type SeenOutage } from '../../domain/outage.ts';
import { ProxyDown, type Fetcher, type FetchResult } from '../../contracts/fetching.ts';
import { type Resolver, ResolverFault } from '../../net/resolver.ts';
import type { BodyStore } from '../../storage/archive/index.ts';
import { type Pool, isStorageOutage } from '../../storage/postgres/index.ts';
import { Breaker } from './breaker.ts';
import type { DependencyDown } from './dependency-down.ts';
import { isDiskTrouble, leastProbeBytes, WantedBytes, WatchedBlobs } from './watched-blobs.ts';
import { count } from '../metrics/counters.ts';
import type { PoolClient } from 'pg';

export interface Unwatched {
  readonly pool: Pool;
  /** @param resolver resolves the names of hosts */
  readonly fetcher: (resolver: Resolver) => Fetcher;
  /** The resolver of the fetcher, cache included. */
  readonly resolver: Resolver;
  /** The egress proxy of requests that name none; absent: they go directly. */
  readonly proxy?: WorkerProxy;
}

export interface WorkerProxy {
  readonly url: string;
  /** Resolves when it takes connections. */
  readonly reach: () => Promise<void>;
}

export interface Probes {
  /** Resolves when Postgres takes writes. */
  readonly postgres: () => Promise<void>;
  /** Resolves when this many bytes could be written, read and removed. */
  readonly blobs: (bytes: number) => Promise<void>;
  /** Bytes that may still be written to the disk of the blobs. */
  readonly room: () => Promise<number>;
  /** Whether any DNS resolver replies. */
  readonly dns: () => Promise<boolean>;
}

export interface Watched {
  readonly pool: Pool;
  /** Puts another pool of the same Postgres behind the same breaker. */
  readonly alike: (pool: Pool) => Pool;
  /** Puts a blob store behind its breaker. */
  readonly blobs: (store: BodyStore) => BodyStore;
  readonly fetcher: Fetcher;
  /** An error that says which dependency of every request is down; null: none is, and requests may start. */
  readonly outage: () => DependencyDown | null;
  /** All that is down, to be told. */
  readonly outages: () => readonly Pick<SeenOutage, 'dependency' | 'since' | 'why'>[];
  /** Ends the probing. */
  stop(): void;
}

/** One broken connection is not an outage: the pool has others, and opens new ones. */
const postgresRules = { faults: 3, windowMs: 5_000, firstProbeMs: 500, longestProbeMs: 10_000 };
/** A disk that refuses one body refuses the next. */
const blobRules = { faults: 1, windowMs: 1_000, firstProbeMs: 1_000, longestProbeMs: 15_000 };
/** Least milliseconds between two looks at the free room on the disk. */
const roomKeptMs = 250;
/** One fault is enough: of DNS one counts only after no resolver answered at all, of a proxy only one that is its own. */
const wayRules = { faults: 1, windowMs: 1_000, firstProbeMs: 1_000, longestProbeMs: 15_000 };

export function watch(parts: Unwatched, probes: Probes, log: Logger): Watched {
  const postgres = new Breaker({
    dependency: outageName('postgres'),
    code: '08006',
    rules: postgresRules,
    isFault: isPostgresFault,
    isCertain: refusesAllWrites,
    probe: probes.postgres,
    log,
  });
  const wanted = new WantedBytes();
  const blobs = new Breaker({
    dependency: outageName('blobs'),
    code: 'EIO',
    rules: blobRules,
    isFault: isDiskTrouble,
    probe: () => wanted.probe(probes.blobs),
    log,
  });
  const dns = new Breaker({
    dependency: outageName('dns'),
    code: 'EAI_AGAIN',
    rules: wayRules,
    isFault: isDnsSilence,
    probe: async () => {
      if (!(await probes.dns())) throw new Error('no DNS resolver answers');
    },
    log,
  });
  const proxy = new Breaker({
    dependency: outageName('proxy'),
    code: 'EHOSTUNREACH',
    rules: wayRules,
    isFault: (error) => error instanceof ProxyDown && error.ofTarget === null,
    probe: () => parts.proxy?.reach() ?? Promise.resolve(),
    log,
  });
  const breakers = { postgres, blobs, dns, proxy } as const satisfies Partial<Record<OutDependency, Breaker>>;
  const outage = (): DependencyDown | null => postgres.outage ?? blobs.outage;
  let roomSeenAt = -Infinity;
  /** Finds a full disk before a host is asked for a page that could not be kept. */
  const lookForRoom = async (): Promise<void> => {
    if (performance.now() - roomSeenAt < roomKeptMs) return;
    roomSeenAt = performance.now();
    try {
      const free = await probes.room();
      if (free < leastProbeBytes) blobs.report(new Error(`only ${String(free)} bytes are left on the disk`));
    } catch (error) {
      blobs.report(error);
    }
  };
  return {
    pool: watchedPool(parts.pool, postgres),
    alike: (pool) => watchedPool(pool, postgres),
    blobs: (store) => new WatchedBlobs(store, blobs, wanted),
    fetcher: watchedFetcher(
      byProxy(parts.fetcher(watchedResolver(parts.resolver, dns)), parts.proxy, proxy),
      {
        outage,
        dnsOutage: () => dns.outage,
        lookForRoom,
      },
    ),
    outage,
    outages: () =>
      Object.entries(breakers).flatMap(([dependency, breaker]) => {
        const down = breaker.outage;
        if (down === null) return [];
        const why = down.cause instanceof Error ? down.cause.message : null;
        return [{ dependency: dependency as keyof typeof breakers, since: down.since.getTime(), why }];
      }),
    stop: () => {
      for (const breaker of Object.values(breakers)) breaker.stop();
    },
  };
}

/** No DNS resolver answers at all. An answer that a name fails is about that name, and is its host's trouble. */
const isDnsSilence = (error: unknown): boolean => error instanceof ResolverFault && error.silent;

/** Reports silence to a breaker. Refuses no call: cached names are answered even while no DNS resolver answers. */
const watchedResolver = (resolver: Resolver, breaker: Breaker): Resolver => ({
  resolve: (hostname) => breaker.watch(() => resolver.resolve(hostname)),
});

/**
 * Requests that name no proxy go by that of the worker. While nothing goes by it they are refused, and no host is blamed.
 * What it says of one target counts as that host's own: otherwise one dead host would hold up all others.
 */
const byProxy = (fetcher: Fetcher, by: WorkerProxy | undefined, breaker: Breaker): Fetcher =>
  by === undefined
    ? fetcher
    : {
        fetch: async (request) => {
          if (request.proxy !== undefined) return fetcher.fetch(request);
          try {
            return await breaker.run(() => fetcher.fetch({ ...request, proxy: by.url }));
          } catch (error) {
            if (!(error instanceof ProxyDown)) throw error;
            const { ofTarget: fault, message } = error;
            if (fault === null) throw breaker.outage ?? error;
            return { kind: 'fault', fault, message: `${message}.`, endAt: performance.now() };
          }
        },
        addressOf: (request) => fetcher.addressOf({ proxy: by.url, ...request }),
        close: () => fetcher.close(),
      };

interface Watch {
  /** An error that names a dependency that every request needs and that is down; null: none is down. */
  readonly outage: () => DependencyDown | null;
  /** The same for DNS, which only names that are not cached need. */
  readonly dnsOutage: () => DependencyDown | null;
  /** Looks whether bodies can be kept; if not, `outage` says so. */
  readonly lookForRoom: () => Promise<void>;
}

/**
 * The fetcher that slices use. It starts no request while a dependency of this process is down, and does not take a DNS
 * outage of ours for the host's trouble. Hosts with a cached address go on through a DNS outage. A refusal is thrown
 * before any byte has left, so no URL is blamed.
 */
const watchedFetcher = (fetcher: Fetcher, { outage, dnsOutage, lookForRoom }: Watch): Fetcher => ({
  async fetch(request): Promise<FetchResult> {
    await lookForRoom();
    const down = outage();
    if (down !== null) throw down;
    const withheld: { by: DependencyDown | null } = { by: null };
    const maySend = (address: string | null): boolean => {
      withheld.by = outage();
      return withheld.by === null && (request.maySend?.(address) ?? true);
    };
    let result: FetchResult;
    try {
      result = await fetcher.fetch({ ...request, maySend });
    } catch (error) {
      throw withheld.by ?? error;
    }
    // The look-up failed while DNS was down for us: it does not show that the name is at fault.
    const ours = result.kind === 'fault' && result.fault === 'dns-unavailable' ? dnsOutage() : null;
    if (ours !== null) throw ours;
    // Nothing is sent to an address that the guard refuses.
    const isSent = result.kind === 'response' || result.fault !== 'address-refused';
    if (isSent) count('requests_total', { class: classOf(result) });
    if (result.kind === 'response' && (result.status === 429 || result.status === 503))
      count('overload_answers_total', { status: result.status === 429 ? '429' : '503' });
    return result;
  },
  addressOf: (request) => fetcher.addressOf(request),
  close: () => fetcher.close(),
});

const classes = ['2xx', '3xx', '4xx', '5xx'] as const;
const classOf = (result: FetchResult) =>
  result.kind === 'response' ? (classes[Math.floor(result.status / 100) - 2] ?? 'other') : 'no_answer';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Internal errors (class XX) usually belong to one statement, and a transaction that was taken back (25P03) to a process
 * that stood still: they must not stop all others.
 */
export const isPostgresFault = (error: unknown): boolean =>
  isStorageOutage(error) && !/^(XX|25P03)/.test(codeOf(error));

/** A full disk and a server that takes no writes refuse every page, however many were written by one statement. */
export const refusesAllWrites = (error: unknown): boolean => /^(53100|25006)$/.test(codeOf(error));

type Call = (...params: unknown[]) => Promise<unknown>;

/**
 * A pool behind a breaker: while the breaker is open, statements are refused at once. Statements of a transaction that
 * has begun go through, so that the transaction can end; their faults count too.
 */
function watchedPool(pool: Pool, breaker: Breaker): Pool {
  const ask = queryOf(pool);
  return withCalls(pool, {
    query: (...params) => breaker.run(() => ask(...params)),
    connect: () => breaker.run(async () => watchedClient(await pool.connect(), breaker)),
  });
}

function watchedClient(client: PoolClient, breaker: Breaker): PoolClient {
  const ask = queryOf(client);
  return withCalls(client, { query: (...params) => breaker.watch(() => ask(...params)) });
}

const queryOf = (db: Pool | PoolClient): Call => (Reflect.get(db, 'query') as Call).bind(db);

/** The same object with some methods replaced. */
const withCalls = <T extends object>(target: T, calls: Readonly<Record<string, Call>>): T =>
  new Proxy(target, {
    get: (of, property) => {
      if (typeof property === 'string' && Object.hasOwn(calls, property)) return calls[property];
      const value: unknown = Reflect.get(of, property, of);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
