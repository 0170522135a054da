/**
 * What the faults strike: services, two workers and the API, each set under a supervisor of its own that is started
 * again when it dies, with a proxy before each service. All of it ends with this process, however that ends.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../config/config.ts';
import type { StackInfo } from '../../stack/info.ts';
import { identify, type ProcessId } from '../../stack/processes.ts';
import { createPool, type Pool } from '../../storage/postgres/index.ts';
import { readLocalKey } from '../../cli/api/local-key.ts';
import { pidOf } from '../stack/world.ts';
import { until } from '../support/until.ts';
import { makeSmallDisk, mayMount, type SmallDisk } from '../support/small-disk.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { KeptLauncher, type Group } from './kept-launcher.ts';
import type { Line, Part } from './plan.ts';
import { clockEnvironment, findLibfaketime, setClock } from './wall-clock.ts';

/** Short, so that a take-over happens within a freeze; times of waiting hosts are short for the same reason. */
export const leaseMs = 4_000;
/** Requests per second to the one address at which all hosts are: fewer than the hosts' own delays allow together. */
export const addressCap = 12;
/** The same for the hosts of one registered domain, of which the web has three each. */
export const domainCap = 5;
const requestTimeoutMs = 4_000;
const sliceSeconds = 4;
/** Room for every body of a run. */
const diskBytes = 64 * 1024 * 1024;

const groupOf = (part: Part): Group =>
  part === 'postgres' || part === 'temporal' || part === 'redis' ? 'services' : 'crawler';

export interface Bed {
  readonly folder: string;
  readonly blobDir: string;
  /** Null where mounting is refused. */
  readonly disk: SmallDisk | null;
  /** Copies the logs of workers and API to a folder that stays. */
  keepLogs(to: string): void;
  /** Null where libfaketime is missing: clocks cannot be set. */
  readonly clocks: string | null;
  readonly lines: Readonly<Record<Line, TcpProxy>>;
  /** The process of a part, if it runs at this moment. */
  process(part: Part): ProcessId | null;
  supervisor(group: Group): ProcessId | null;
  /** Resolves when both sets are complete, under supervisors that live. */
  ready(): Promise<void>;
  /** To Postgres itself, past the proxy; for the faults' own use and the last judgement. */
  readonly pool: () => Pool;
  readonly temporalAddress: () => string;
  /** GET, or POST where there is a body. @throws where there is no API or the answer is no success */
  ask<T>(where: string, body?: object, method?: 'POST' | 'PATCH'): Promise<T>;
  /** Told when a supervisor was started again. */
  readonly restarts: () => number;
  close(): Promise<void>;
}

const startTimeoutMs = 180_000;
/** The first start may have to fetch or build the Temporal CLI. */
const firstStartMs = 600_000;

/** @param resolver as ORBWEAVER_DNS has it */
export async function openBed(resolver: string): Promise<Bed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'orbweaver-chaos-'));
  // Postgres runs as a user of its own when we are root, and has to pass through.
  chmodSync(folder, 0o711);
  const own = loadConfig();
  const releasers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const release of releasers.toReversed()) await release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const disk = mayMount() ? makeSmallDisk(diskBytes) : null;
    if (disk !== null) {
      releasers.push(() => {
        disk.unmount();
        return Promise.resolve();
      });
    }
    const blobDir = disk === null ? path.join(folder, 'blobs') : path.join(disk.folder, 'blobs');
    const library = findLibfaketime();
    const clocks = path.join(folder, 'clocks');
    mkdirSync(clocks);
    if (library !== null) setClock(clocks, 'start', 0);

    const common = (): Record<string, string> => ({
      ORBWEAVER_CACHE: own.cacheDir,
      ...(own.temporalCli === null ? {} : { ORBWEAVER_TEMPORAL_CLI: own.temporalCli }),
    });
    const services = new KeptLauncher('services', folder, common);
    releasers.push(() => services.close());
    services.start();
    await services.firstUp(firstStartMs);
    const info = services.info;
    if (info === null) throw new Error('the services went away');
    const postgres = new URL(info.postgresUrl);

    const portOf = (line: Line, of: StackInfo): number =>
      line === 'postgres'
        ? Number(new URL(of.postgresUrl).port)
        : line === 'temporal'
          ? Number(of.temporalAddress.split(':')[1])
          : Number(of.redisUrl === null ? 1 : new URL(of.redisUrl).port);
    const lines = {
      postgres: await startTcpProxy(portOf('postgres', info)),
      temporal: await startTcpProxy(portOf('temporal', info)),
      redis: await startTcpProxy(portOf('redis', info)),
    };
    for (const line of Object.values(lines)) releasers.push(() => line.close());
    postgres.port = String(lines.postgres.port);

    const crawler = new KeptLauncher('crawler', folder, () => ({
      ...common(),
      ...(library === null ? {} : clockEnvironment(clocks, library)),
      ORBWEAVER_DATABASE_URL: postgres.href,
      ORBWEAVER_TEMPORAL_ADDRESS: lines.temporal.address,
      ORBWEAVER_TEMPORAL_NAMESPACE: info.temporalNamespace,
      ORBWEAVER_REDIS_URL: `redis://${lines.redis.address}`,
      ORBWEAVER_BLOBS: blobDir,
      ORBWEAVER_ALLOW_PRIVATE: '127.0.0.0/8',
      ORBWEAVER_ADDRESS_RATE: String(addressCap),
      ORBWEAVER_DOMAIN_RATE: String(domainCap),
      ORBWEAVER_CAP_PRIVATE: 'on',
      ORBWEAVER_DNS: resolver,
      ORBWEAVER_LEASE_SECONDS: String(leaseMs / 1_000),
      ORBWEAVER_REQUEST_TIMEOUT_SECONDS: String(requestTimeoutMs / 1_000),
      ORBWEAVER_SLICE_SECONDS: String(sliceSeconds),
    }));
    releasers.push(() => crawler.close());
    crawler.start();

    // A supervisor that is started again finds other ports; the pool and the proxies follow.
    let known = info;
    let pool = createPool(known.postgresUrl, 3, () => undefined);
    releasers.push(() => pool.end());
    const follow = (): boolean => {
      const now = services.info;
      if (now === null) return false;
      if (now.launcher.pid !== known.launcher.pid) {
        known = now;
        void pool.end();
        pool = createPool(now.postgresUrl, 3, () => undefined);
        for (const line of ['postgres', 'temporal', 'redis'] as const)
          lines[line].retarget(portOf(line, now));
      }
      return true;
    };
    const timer = setInterval(follow, 100);
    releasers.push(() => {
      clearInterval(timer);
      return Promise.resolve();
    });

    const launchers = { services, crawler };
    const ask = async <T>(where: string, body?: object, method = 'POST'): Promise<T> => {
      const apiUrl = crawler.info?.apiUrl ?? null;
      if (apiUrl === null) throw new Error('there is no API at present');
      const response = await fetch(`${apiUrl}${where}`, {
        headers: {
          authorization: `Bearer ${readLocalKey(launchers.crawler.dataDir) ?? ''}`,
          'content-type': 'application/json',
        },
        ...(body !== undefined && { method, body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(30_000),
      });
      if (!response.ok) throw new Error(`${where}: ${String(response.status)} ${await response.text()}`);
      return (await response.json()) as T;
    };
    const bed: Bed = {
      folder,
      blobDir,
      disk,
      keepLogs: (to) => {
        cpSync(path.join(folder, 'crawler', 'logs'), to, { recursive: true });
      },
      clocks: library === null ? null : clocks,
      lines,
      process: (part) => {
        try {
          return identify(pidOf(launchers[groupOf(part)].dataDir, part));
        } catch {
          return null;
        }
      },
      supervisor: (group) => launchers[group].id,
      ready: async () => {
        await until('the services are complete', follow, startTimeoutMs);
        await until('the crawler is complete', () => crawler.info, startTimeoutMs);
      },
      pool: () => pool,
      temporalAddress: () => known.temporalAddress,
      ask,
      restarts: () => services.starts + crawler.starts - 2,
      close,
    };
    await crawler.firstUp(startTimeoutMs);
    return bed;
  } catch (error) {
    await close();
    throw error;
  }
}
