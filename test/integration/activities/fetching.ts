/** Worker processes in small: the fetch activity on real parts (Postgres, blob store, fetcher), and a frontier to work on. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pino from 'pino';
import { createFetchActivities } from '../../../activities/fetch.ts';
import { gates } from '../../../engine/visit/gates.ts';
import { assemble, type Parts } from '../../../engine/assemble.ts';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { endless } from '../../../engine/pressure/pressure.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import type { CrawlSettings } from '../../../engine/settings.ts';
import type { ProbeResult, SliceResult } from '../../../contracts/activities.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { Fetcher } from '../../../contracts/fetching.ts';
import { canonicalize } from '../../../domain/url.ts';
import { createFetcher } from '../../../net/fetcher.ts';
import { Archive, SegmentFolder } from '../../../storage/archive/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { urlKey } from '../../../contracts/url-key.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import { asActivity } from '../../support/activity.ts';
import { tables, type Read, type UrlRow } from '../../support/database/index.ts';
import { flipBit } from '../../support/flip-bit.ts';
import { given } from '../../support/given.ts';
import { createDatabase, poolOf } from '../../support/world.ts';
import { admission, newHost, runningCrawl } from '../storage/frontier.ts';
import { startSite, type Answer, type Site } from './site.ts';
import { testKeys } from '../../support/keys.ts';

interface FetchRole {
  /** One run of the activity, as Temporal would run it. */
  fetchSlice(host: HostRow & { readonly inTrouble?: boolean }, signal?: AbortSignal): Promise<SliceResult>;
  probeHost(host: HostRow): Promise<ProbeResult>;
}

export interface HostRow {
  readonly hostId: string;
  readonly origin: string;
}

export interface Fetching {
  readonly pool: Pool;
  readonly databaseUrl: string;
  /** A worker process of its own: own caches, own leases, the same database and blobs. */
  role(settings?: Partial<CrawlSettings>, parts?: Partial<Parts>): FetchRole;
  /** What such a process is made of. */
  dependencies(settings?: Partial<CrawlSettings>, parts?: Partial<Parts>): Dependencies;
  readonly blobs: Archive;
  /** Flips a bit in the stored body with this hash (hex). */
  tear(hash: string): Promise<void>;
  /** A running crawl that may reach loopback, without a delay unless told otherwise. */
  crawl(config?: Partial<CrawlConfig>, seeds?: readonly string[]): Promise<number>;
  host(origin: string): Promise<HostRow>;
  /** A crawl with these paths queued at this host. */
  queued(
    origin: string,
    paths: readonly string[],
    ...crawl: Parameters<Fetching['crawl']>
  ): Promise<{ readonly host: HostRow; readonly crawl: number }>;
  /** A site of the test's own, and a crawl with these paths of it queued. */
  site(
    paths: readonly string[],
    of?: {
      readonly answers?: Readonly<Record<string, Answer>>;
      readonly config?: Partial<CrawlConfig>;
      readonly seeds?: readonly string[];
    },
  ): Promise<{ readonly site: Site; readonly host: HostRow; readonly crawl: number }>;
  /** Queues URLs, in this order. */
  queue(crawl: number, host: HostRow, ...paths: readonly string[]): Promise<void>;
  /** All URLs of a crawl by what they are asked for: path and query at `origin`, whole URLs elsewhere. */
  urls(crawl: number, origin: string): Promise<Readonly<Record<string, Read<UrlRow>>>>;
  close(): Promise<void>;
}

/** Long enough that no test meets an end of time by chance; one that is about such an end sets its own. */
const settings: CrawlSettings = {
  userAgent: 'Orbweaver/0.0 (+http://localhost/about)',
  allowPrivate: [],
  maxBodyBytes: 1024 * 1024,
  requestTimeoutMs: 60_000,
  sliceMs: 60_000,
  lingerMs: 0,
  leaseMs: 60_000,
  shards: 1,
  caps: noCaps,
  capacities: endless,
};

/**
 * Notes when each request begins, before it connects, and when it has its last look, which is no later than it leaves; by
 * `performance.now()`. A busy machine may notice one late where it arrives, and the next one not.
 */
export function noting(fetcher: Fetcher): {
  readonly fetcher: Fetcher;
  readonly begun: readonly number[];
  readonly departed: readonly number[];
} {
  const begun: number[] = [];
  const departed: number[] = [];
  const fetch: Fetcher['fetch'] = (request) => {
    begun.push(performance.now());
    const maySend: typeof request.maySend = (address) => {
      const at = performance.now();
      const may = request.maySend?.(address) ?? true;
      if (may) departed.push(at);
      return may;
    };
    return fetcher.fetch({ ...request, maySend });
  };
  return { fetcher: { ...fetcher, fetch }, begun, departed };
}

async function openFetching(): Promise<Fetching> {
  const world = await createDatabase();
  const pool = poolOf(world, 12);
  const fetcher = createFetcher();
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-fetching-'));
  const rules = { format: 'zstd', maxBytes: 2 ** 30, maxAgeMs: 3_600_000, software: 'Test' } as const;
  const blobs = new Archive(pool, new SegmentFolder(folder), settings.maxBodyBytes, {
    ...{ ...rules, owner: randomUUID() },
  });
  const writer = new FrontierWriter(pool);

  const dependencies = (own: Partial<CrawlSettings> = {}, parts: Partial<Parts> = {}): Dependencies =>
    assemble({
      pool,
      writer: new FrontierWriter(parts.pool ?? pool),
      blobs,
      folder: null,
      keys: testKeys,
      seen: new MemorySeenCache(10_000),
      fetcher,
      wakeHosts: () => undefined,
      prefetch: () => undefined,
      outage: () => null,
      gates,
      settings: { ...settings, ...own },
      log: pino({ level: 'silent' }),
      ...parts,
    });
  const fetching: Fetching = {
    pool,
    databaseUrl: world.databaseUrl,
    blobs,
    dependencies,
    tear: async (hash) => {
      const { segment, at, length } = await tables.body.row(pool, { hash: Buffer.from(hash, 'hex') });
      const { name } = await tables.segment.row(pool, { id: segment });
      flipBit(path.join(folder, name), at + Math.floor(length / 2));
    },
    role: (own = {}, parts = {}) => {
      const activities = createFetchActivities(dependencies(own, parts));
      return {
        fetchSlice: (host, signal = new AbortController().signal) =>
          asActivity(() => activities.fetchSlice({ inTrouble: true, ...host }), { signal }),
        probeHost: (host) => asActivity(() => activities.probeHost(host)),
      };
    },
    crawl: (config = {}, seeds) =>
      runningCrawl(pool, { allowPrivate: ['127.0.0.0/8'], scope: 'any', delaySeconds: 0, ...config }, seeds),
    host: async (origin) => ({ hostId: String(await newHost(pool, origin)), origin }),
    queued: async (origin, paths, ...of) => {
      const host = await fetching.host(origin);
      const crawl = await fetching.crawl(...of);
      await fetching.queue(crawl, host, ...paths);
      return { host, crawl };
    },
    site: async (paths, { answers, config, seeds } = {}) => {
      const site = await startSite(answers);
      return { site, ...(await fetching.queued(site.origin, paths, config, seeds)) };
    },
    queue: async (crawl, { hostId, origin }, ...paths) => {
      const admissions = paths.map((each, at) => {
        const link = canonicalize(each, origin);
        if (!link.ok) throw new Error(`${each}: ${link.rejected}`);
        const key = urlKey(link.value.canonical).toString('hex');
        return admission(Number(hostId), crawl, link.value.url, { key, depth: 0, priority: 1 / (1 + at) });
      });
      await writer.write({ admissions });
    },
    urls: async (crawl, origin) => {
      const rows = await tables.url.rows(pool, { crawl_id: crawl });
      return Object.fromEntries(
        rows.map((row) => [row.url.startsWith(`${origin}/`) ? row.url.slice(origin.length) : row.url, row]),
      );
    },
    close: async () => {
      await fetcher.close();
      await pool.end();
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return fetching;
}

/** The same for the tests of a file. */
export const withFetching = (): Fetching => given(openFetching, (fetching) => fetching.close());
