/** Reads what a host has brought, as the lanes of a worker do. */
import pino from 'pino';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { endless } from '../../../engine/pressure/pressure.ts';
import { gates } from '../../../engine/visit/gates.ts';
import { assemble } from '../../../engine/assemble.ts';
import { createExtractor, type Extractor } from '../../../content/extract.ts';
import { storedStages } from '../../../domain/stage.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import { createDedup } from '../../../engine/reading/dedup.ts';
import { PageReader } from '../../../engine/reading/read-pages.ts';
import type { BodyStore } from '../../../storage/archive/index.ts';
import { bodiesInStage, type StagedBody } from '../../../storage/pages/index.ts';
import { tables } from '../../support/database/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import type { Fetching, HostRow } from './fetching.ts';
import { testKeys } from '../../support/keys.ts';

type Stores = Pick<Fetching, 'pool'> & { readonly blobs: BodyStore };

/** A process that reads, with what it remembers. */
export const openReader = ({ pool, blobs }: Stores, writer = new FrontierWriter(pool)): Dependencies =>
  assemble({
    pool,
    writer,
    blobs,
    folder: null,
    keys: testKeys,
    seen: new MemorySeenCache(10_000),
    fetcher: {
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      addressOf: () => Promise.resolve(null),
      close: () => Promise.resolve(),
    },
    wakeHosts: () => undefined,
    prefetch: () => undefined,
    outage: () => null,
    gates,
    settings: {
      userAgent: 'Orbweaver/0.0',
      allowPrivate: [],
      maxBodyBytes: 1024 * 1024,
      requestTimeoutMs: 5_000,
      sliceMs: 5_000,
      lingerMs: 0,
      leaseMs: 4_000,
      shards: 1,
      caps: noCaps,
      capacities: endless,
    },
    log: pino({ level: 'silent' }),
  });

/** Until nothing of the host is owed its reading any more. */
export async function readBodies(
  stores: Stores,
  host: HostRow,
  dependencies = openReader(stores),
): Promise<void> {
  const extractor = await createExtractor();
  while ((await judgeBodies(dependencies, host)) + (await extractBodies(dependencies, extractor, host)) > 0);
}

/** What lanes do, for one host: judges the bodies that wait for it; answers how many there were. */
export const judgeBodies = (dependencies: Dependencies, host: Pick<HostRow, 'hostId'>): Promise<number> =>
  work(
    dependencies,
    host,
    storedStages.dedup,
    createDedup(dependencies, (bodies) =>
      dependencies.rendering.gains.note(bodies.map((page) => ({ page, words: 0, links: 0 }))),
    ),
  );

/** The same for extraction. @param documentsMs as for `PageReader` */
export const extractBodies = (
  dependencies: Dependencies,
  extractor: Extractor,
  host: Pick<HostRow, 'hostId'>,
  documentsMs?: number,
): Promise<number> =>
  work(dependencies, host, storedStages.extract, (bodies) =>
    new PageReader(dependencies, extractor, documentsMs).read(bodies),
  );

async function work(
  { pool }: Pick<Dependencies, 'pool'>,
  { hostId }: Pick<HostRow, 'hostId'>,
  stage: typeof storedStages.dedup | typeof storedStages.extract,
  on: (bodies: readonly StagedBody[]) => Promise<void>,
): Promise<number> {
  const waiting = await tables.url.rows(pool, { host_id: Number(hostId), stage });
  const crawls = [...new Set(waiting.map(({ crawl_id: id }) => id))];
  const turns = crawls.map((crawlId) => ({ crawlId, hostId: Number(hostId), bodies: 400 }));
  const bodies = await bodiesInStage(pool, turns, stage, null);
  if (bodies.length > 0) await on(bodies);
  return bodies.length;
}
