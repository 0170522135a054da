/** Reads what a host has brought, as the dedup and extract activities do for a worker. */
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import pino from 'pino';
import { createDedupActivities } from '../../../activities/dedup.ts';
import { gates } from '../../../engine/visit/gates.ts';
import { assemble } from '../../../engine/assemble.ts';
import { createExtractActivities } from '../../../activities/extract.ts';
import { createExtractor } from '../../../content/extract.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import type { Fetching, HostRow } from './fetching.ts';

/** Until nothing of the host is owed its reading any more; answers how many URLs were new. */
export async function readBodies(
  { pool, blobs }: Pick<Fetching, 'pool' | 'blobs'>,
  host: HostRow,
): Promise<number> {
  const dependencies = assemble({
    pool,
    writer: new FrontierWriter(pool),
    blobs,
    seen: new MemorySeenCache(10_000),
    fetcher: { fetch: () => Promise.reject(new Error('nothing is fetched')), close: () => Promise.resolve() },
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
      leaseMs: 4_000,
      shards: 1,
    },
    log: pino({ level: 'silent' }),
  });
  const activities = {
    ...createDedupActivities(dependencies),
    ...createExtractActivities(dependencies, await createExtractor()),
  };
  const context: Pick<Context, 'cancellationSignal' | 'heartbeat'> = {
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
  };
  return asyncLocalStorage.run(context as Context, async () => {
    let admitted = 0;
    for (;;) {
      await activities.dedup(host);
      const read = await activities.extract(host);
      admitted += read.admitted;
      if (read.pages === 0) return admitted;
    }
  });
}
