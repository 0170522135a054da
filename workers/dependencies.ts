/** One of each thing that a worker process needs; they are given back in the reverse order of their making. */
import type { ScheduleClient, WorkflowClient } from '@temporalio/client';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { watch, type Watched } from '../engine/breakers/breakers.ts';
import { createExtractor } from '../content/extract.ts';
import { assemble, type Parts } from '../engine/assemble.ts';
import type { Dependencies } from '../engine/dependencies.ts';
import { tracedFetcher } from '../engine/tracing.ts';
import type { Tracer } from '../contracts/tracing.ts';
import type { CrawlSettings } from '../engine/settings.ts';
import type { ExportTools } from '../engine/exports/job.ts';
import { createTextReader } from '../engine/page-text.ts';
import { keep } from '../engine/chores.ts';
import { observe } from '../engine/metrics/counters.ts';
import { gates } from '../engine/visit/gates.ts';
import { HostWaker } from '../engine/host-waker.ts';
import { RegionBook } from '../engine/regions/region-book.ts';
import { wakeHost } from '../activities/wake-host.ts';
import {
  bucketOf,
  capDefaultsOf,
  ConfigError,
  openSearchOf,
  regionsOf,
  type ServiceConfig,
} from '../config/config.ts';
import { version } from '../config/package.ts';
import { secretKeysOf } from '../config/secret-key.ts';
import { settings as settingRows } from '../config/table.ts';
import type { Poster } from '../contracts/posting.ts';
import { createDnsResolver, type DnsResolver } from '../net/dns-resolver.ts';
import { machineServers } from '../net/dns-servers.ts';
import { RedisAnswers } from '../net/dns-shared.ts';
import { egressProxy } from '../net/egress-proxy.ts';
import { createFetcher } from '../net/fetcher.ts';
import { openGeoip } from '../net/geoip.ts';
import { ownServices } from '../net/own-services.ts';
import { createPoster } from '../net/poster.ts';
import { systemResolver } from '../net/resolver.ts';
import {
  Archive,
  openObjects,
  openSegments,
  RecentBodies,
  SegmentUpkeep,
  type SegmentRules,
} from '../storage/archive/index.ts';
import { ExportFiles } from '../storage/exports/index.ts';
import { FrontierWriter } from '../storage/frontier/index.ts';
import { createPool, listen, type Pool, probePostgres } from '../storage/postgres/index.ts';
import { openRedis } from '../storage/redis.ts';
import { instanceId } from '../storage/instance/index.ts';
import { LayeredSeenCache, MemorySeenCache, RedisSeenCache, type SeenCache } from '../storage/seen/index.ts';
import { SecretKeys } from '../storage/sessions/index.ts';
import { stackListeners } from './listeners.ts';
import { openIndex } from '../storage/search/index.ts';
import { choresOf } from './chores.ts';
import { servicesOf } from './services.ts';

export interface OpenDependencies {
  readonly dependencies: Dependencies;
  /** The same with connections of its own, for work that must not wait for the statements of all hosts. */
  readonly control: Dependencies;
  /** Connections by which schedulers look for hosts: they wait for no other statement either. */
  readonly feeding: Pool;
  /** What the files of exports are made with. */
  readonly exports: ExportTools;
  /** Sends to the receivers of webhooks. */
  readonly post: Poster;
  /** What of this process's dependencies is down, to be told. */
  readonly outages: Watched['outages'];
  /** How names were resolved so far. */
  readonly dns: DnsResolver['stats'];
  /** Its connections to Postgres, and the room on the disk of the bodies, for the metrics. */
  readonly pools: readonly Pool[];
  freeBytes(): Promise<number>;
  close(): Promise<void>;
}

/** Connections for hosts and their pages. */
const connections = 12;
/** A visit waits so many milliseconds for further URLs of its host. */
const lingerMs = 4_000;
/** Connections for crawls and side work, apart from the others. */
const controlConnections = 4;
/** Connections for schedulers. */
const feedConnections = 2;

/**
 * The schema must be there.
 * @param processId as `worker_process` has it
 */
export async function openDependencies(
  config: ServiceConfig,
  processId: string,
  { workflow: workflows, schedule }: { readonly workflow: WorkflowClient; readonly schedule: ScheduleClient },
  log: Logger,
  tracer?: Tracer,
): Promise<OpenDependencies> {
  const onBroken = (error: Error): void => {
    log.warn({ err: error }, 'a connection to Postgres broke');
  };
  const onScarce = (words: string): void => {
    log.warn(words);
  };
  const unwatched = createPool(config.databaseUrl, connections, onBroken, { planned: 'by-key', onScarce });
  const apart = createPool(config.databaseUrl, controlConnections, onBroken, { onScarce });
  const ofFeeding = createPool(config.databaseUrl, feedConnections, onBroken, {
    planned: 'by-key',
    onScarce,
  });
  const redis =
    config.redisUrl === null
      ? null
      : openRedis(config.redisUrl, (error) => {
          log.warn({ err: error }, 'Redis does not answer; the worker goes on without Redis');
        });
  const segments = await openSegments(config.blobDir, bucketOf(config));
  const segmentRules: SegmentRules = {
    owner: processId,
    format: config.segmentFormat,
    maxBytes: config.segmentMb * 1024 ** 2,
    maxAgeMs: config.segmentHours * 3_600_000,
    software: `Orbweaver/${version}`,
  };
  const resolver = openResolver(config, redis, log);
  const own = ownServices(servicesOf(config), systemResolver, stackListeners(config.dataDir));
  const readsItsOwn = config.roles.includes('fetch') && config.roles.includes('extract');
  const watched = watch(
    {
      pool: unwatched,
      resolver,
      ...(config.proxy !== null && { proxy: egressProxy(config.proxy) }),
      fetcher: (names) =>
        createFetcher({
          resolver: names,
          own,
          http2: config.http2 === 'on',
          bodyBudgetBytes: config.bodyBudgetMb * 1024 ** 2,
          onNoRoom: ({ message }) => {
            log.warn(message);
          },
        }),
    },
    {
      postgres: () => probePostgres(config.databaseUrl),
      blobs: (bytes) => segments.probe(bytes),
      room: () => segments.freeBytes(),
      dns: () => resolver.answering(),
    },
    log,
  );
  const { pool, outage } = watched;
  const fetcher = tracer === undefined ? watched.fetcher : tracedFetcher(watched.fetcher, tracer);
  const controlPool = watched.alike(apart);
  const feeding = watched.alike(ofFeeding);
  const archive = new Archive(pool, segments, config.maxBodyBytes, segmentRules);
  const blobs = watched.blobs(archive);
  const waker = new HostWaker(pool, (origin) => wakeHost(workflows, origin), log);
  const upkeep = new SegmentUpkeep(controlPool, segments, segmentRules);
  const index = await openIndex(controlPool, openSearchOf(config));
  const exports: ExportTools = {
    pool: controlPool,
    archive,
    textOf: createTextReader(archive),
    software: `Orbweaver/${version}`,
    files: new ExportFiles(config.exportDir, await openObjects(bucketOf(config))),
    mostBytes: config.exportMb * 1024 ** 2,
  };
  const { settles } = segments;
  const keys = new SecretKeys(secretKeysOf(config));
  const chores = choresOf(
    config,
    {
      pool: controlPool,
      keys,
      feeding,
      archive,
      upkeep,
      settles,
      index,
      files: exports.files,
      workflows,
      schedule,
    },
    log,
  );
  const stopChores = keep(
    config.roles.flatMap((role) => chores[role]),
    log,
  );
  const settings: CrawlSettings = {
    userAgent: config.userAgent,
    allowPrivate: config.allowPrivate,
    maxBodyBytes: config.maxBodyBytes,
    requestTimeoutMs: config.requestTimeoutSeconds * 1_000,
    sliceMs: config.sliceSeconds * 1_000,
    lingerMs,
    leaseMs: config.leaseSeconds * 1_000,
    caps: capDefaultsOf(config),
    capacities: {
      unreadPages: config.unreadPages,
      unreadBytes: config.unreadMb * 1024 ** 2,
      waitingRows: config.waitingRows,
      commitMs: config.commitMs,
      storeBytes: config.storeMb * 1024 ** 2,
      uploadBytes: config.uploadMb * 1024 ** 2,
    },
    trapPages: config.trapPages,
    shards: config.shards,
  };
  const regions = regionsOf(config);
  const placeOf = placesOf(config);
  const parts: Parts = {
    pool,
    writer: new FrontierWriter(pool, { onClosed: giveUp(archive, log), onCommit: countCommit }),
    blobs: readsItsOwn ? new RecentBodies(blobs) : blobs,
    folder: segments.settles ? segments.folder : null,
    seen: redis === null ? new MemorySeenCache() : layeredSeenCache(redis, await readInstance(pool), log),
    fetcher,
    ...(tracer !== undefined && { tracer }),
    keys,
    ...(config.roles.includes('fetch') && { extractor: createExtractor }),
    wakeHosts: waker.wake,
    prefetch: (hostname) => resolver.prefetch(hostname),
    outage,
    ...(regions !== null && { regions: new RegionBook(pool, regions, placeOf) }),
    gates,
    settings,
    log,
  };
  const dependencies = assemble(parts, controlPool);
  const stopListening = listen(
    config.databaseUrl,
    (text) => {
      dependencies.bells.hear(text);
    },
    (error) => {
      log.debug({ err: error }, 'bells of other processes are not heard for now');
    },
  );
  return {
    dependencies,
    control: {
      ...dependencies,
      pool: controlPool,
      writer: new FrontierWriter(controlPool, { onCommit: countCommit }),
    },
    feeding,
    exports,
    outages: watched.outages,
    dns: () => resolver.stats(),
    pools: [unwatched, apart, ofFeeding],
    freeBytes: () => segments.freeBytes(),
    post: createPoster({
      resolver,
      own,
      allowPrivate: config.webhookAllowPrivate,
      userAgent: `Orbweaver/${version} (webhooks)`,
    }),
    async close() {
      stopListening();
      await stopChores();
      await endSegment(archive, upkeep, log);
      await waker.flush();
      await dependencies.caps.close();
      watched.stop();
      await fetcher.close();
      log.info({ dns: resolver.stats() }, 'names resolved');
      resolver.close();
      redis?.disconnect();
      await Promise.all([unwatched.end(), apart.end(), ofFeeding.end()]);
    },
  };
}

/** @throws ConfigError if the GeoIP file cannot be read */
function placesOf({ geoipFile }: ServiceConfig): RegionBook['placeOf'] {
  try {
    return geoipFile === null ? () => null : openGeoip(geoipFile);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConfigError(`${settingRows.geoipFile.name}: ${String(geoipFile)} cannot be read: ${why}`);
  }
}

function countCommit(rows: number, ms: number): void {
  observe('commit_rows', rows);
  observe('commit_duration_seconds', ms / 1_000);
}

const giveUp =
  (archive: Archive, log: Logger) =>
  (segment: number): void => {
    log.warn({ segment }, 'another process closed the segment of this one; its last pages are fetched again');
    archive.own.giveUp(segment).catch((error: unknown) => {
      log.warn({ err: error }, 'a segment could not be given up in order');
    });
  };

/** Where Postgres is away, another process closes the segment. */
async function endSegment(archive: Archive, upkeep: SegmentUpkeep, log: Logger): Promise<void> {
  try {
    const ended = await archive.own.end();
    if (ended !== null) await upkeep.close(ended);
  } catch (error) {
    log.warn({ err: error }, 'the segment of this process could not be closed; another process will');
  }
}

function openResolver({ dns }: ServiceConfig, redis: Redis | null, log: Logger): DnsResolver {
  const servers = dns.length > 0 ? () => dns : machineServers;
  if (redis === null) return createDnsResolver({ servers });
  const shared = new RedisAnswers(redis, servers().join(), (error) => {
    log.debug({ err: error }, 'the DNS answers in Redis could not be read');
  });
  return createDnsResolver({ servers, shared });
}

async function readInstance(pool: Pool): Promise<string> {
  const [row] = await instanceId(pool);
  if (row === undefined) throw new Error('the database has no identity: table instance is empty');
  return row.id;
}

function layeredSeenCache(redis: Redis, instance: string, log: Logger): SeenCache {
  return new LayeredSeenCache(
    new MemorySeenCache(),
    new RedisSeenCache(redis, instance, (error) => {
      log.debug({ err: error }, 'the seen-cache in Redis did not answer');
    }),
  );
}
