/** One of each thing a worker process needs, and how they are given back: in the reverse order of their making. */
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { CrawlSettings, Dependencies } from '../activities/dependencies.ts';
import type { ServiceConfig } from '../config/config.ts';
import { createFetcher } from '../net/fetcher.ts';
import { FileBlobStore } from '../storage/blobs/file-blob-store.ts';
import { RecentBlobs } from '../storage/blobs/recent-blobs.ts';
import { FrontierWriter } from '../storage/frontier-writer.ts';
import { createPool, type Pool } from '../storage/pool.ts';
import { instanceId } from '../storage/statements/instance-id.ts';
import { LayeredSeenCache } from '../storage/seen/layered-seen-cache.ts';
import { MemorySeenCache } from '../storage/seen/memory-seen-cache.ts';
import { RedisSeenCache } from '../storage/seen/redis-seen-cache.ts';
import type { SeenCache } from '../storage/seen/seen-cache.ts';

export interface OpenDependencies {
  readonly dependencies: Dependencies;
  close(): Promise<void>;
}

const connections = 12;

/** Needs the schema to be there. */
export async function openDependencies(config: ServiceConfig, log: Logger): Promise<OpenDependencies> {
  const pool = createPool(config.databaseUrl, connections, (error) => {
    log.warn({ err: error }, 'a connection to Postgres broke');
  });
  const redis = config.redisUrl === null ? null : openRedis(config.redisUrl, log);
  const fetcher = createFetcher();
  const settings: CrawlSettings = {
    userAgent: config.userAgent,
    allowPrivate: config.allowPrivate,
    maxBodyBytes: config.maxBodyBytes,
    requestTimeoutMs: config.requestTimeoutSeconds * 1_000,
    sliceMs: config.sliceSeconds * 1_000,
    leaseMs: config.leaseSeconds * 1_000,
    shards: config.shards,
  };
  return {
    dependencies: {
      pool,
      writer: new FrontierWriter(pool),
      blobs: new RecentBlobs(new FileBlobStore({ folder: config.blobDir, maxBytes: config.maxBodyBytes })),
      seen: redis === null ? new MemorySeenCache() : layeredSeenCache(redis, await readInstance(pool), log),
      fetcher,
      settings,
      log,
    },
    async close() {
      await fetcher.close();
      redis?.disconnect();
      await pool.end();
    },
  };
}

/** A cache that may vanish: no command waits for it, and its absence is told once in a while, not for each command. */
function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 500,
  });
  let told = 0;
  redis.on('error', (error: Error) => {
    if (Date.now() - told < 60_000) return;
    told = Date.now();
    log.warn({ err: error }, 'Redis does not answer; going on without it');
  });
  return redis;
}

async function readInstance(pool: Pool): Promise<string> {
  const [row] = await instanceId(pool);
  if (row === undefined) throw new Error('the database does not know who it is: table instance is empty');
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
