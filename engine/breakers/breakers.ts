/** The breakers of a worker process, each in front of a dependency (docs/design.md, "Faults of ours"). */
import type { Logger } from 'pino';
import { outageName, type OutDependency, type SeenOutage } from '../../domain/outage.ts';
import type { Fetcher } from '../../contracts/fetching.ts';
import type { Resolver } from '../../net/resolver.ts';
import type { BodyStore } from '../../storage/archive/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { Breaker } from './breaker.ts';
import type { DependencyDown } from './dependency-down.ts';
import { isDiskTrouble, leastProbeBytes, WantedBytes, WatchedBlobs } from './watched-blobs.ts';
import { watchedFetcher } from './watched-fetcher.ts';
import { isPostgresFault, refusesAllWrites, watchedPool } from './watched-pool.ts';
import { isDnsSilence, watchedResolver } from './watched-resolver.ts';

export interface Unwatched {
  readonly pool: Pool;
  /** @param resolver resolves the names of hosts */
  readonly fetcher: (resolver: Resolver) => Fetcher;
  /** The resolver of the fetcher, cache included. */
  readonly resolver: Resolver;
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
/** One fault is enough: a fault counts only after no resolver answered at all. */
const dnsRules = { faults: 1, windowMs: 1_000, firstProbeMs: 1_000, longestProbeMs: 15_000 };

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
    rules: dnsRules,
    isFault: isDnsSilence,
    probe: async () => {
      if (!(await probes.dns())) throw new Error('no DNS resolver answers');
    },
    log,
  });
  const breakers = { postgres, blobs, dns } as const satisfies Partial<Record<OutDependency, Breaker>>;
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
    fetcher: watchedFetcher(parts.fetcher(watchedResolver(parts.resolver, dns)), {
      outage,
      dnsOutage: () => dns.outage,
      lookForRoom,
    }),
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
