/** What metrics of the whole instance are read from. */
import { lastBackup } from '../../storage/backups/index.ts';
import { currentOutages, measureLoads, measureWorkers } from '../../storage/instance/index.ts';
import { one, type Pool } from '../../storage/postgres/index.ts';
import {
  measureCrawls,
  measureDatabase,
  measureDeadLetters,
  measureHosts,
  measureLags,
  measureQueues,
  measureShards,
  recountSample,
  sampleShares,
} from '../../storage/reports/index.ts';

/**
 * Milliseconds that a count stays fresh. Counting reads some megabytes of tables, so scrapes within this time share one.
 */
const freshMs = 10_000;

export type InstanceNow = Awaited<ReturnType<typeof lookAt>>;

/** Scrapes at the same time share one look, however long that look takes. */
export function instanceReader(pool: Pool): () => Promise<InstanceNow> {
  let seen: { readonly now: InstanceNow; readonly at: number } | null = null;
  let looking: Promise<InstanceNow> | null = null;
  return async () => {
    if (seen !== null && performance.now() - seen.at < freshMs) return seen.now;
    looking ??= lookAt(pool)
      .then((now) => {
        seen = { now, at: performance.now() };
        return now;
      })
      .finally(() => {
        looking = null;
      });
    return looking;
  };
}

/** One statement after another in each of two lines: requests to the API need the other connections. */
async function lookAt(pool: Pool) {
  const [sampled, read] = await Promise.all([lookAtSamples(pool), readFigures(pool)]);
  return { ...sampled, ...read };
}

async function lookAtSamples(pool: Pool) {
  const shares = await one(sampleShares(pool));
  const hosts = await measureHosts(pool, shares.hosts);
  const letters = await measureDeadLetters(pool, shares.letters);
  const queues = await measureQueues(pool, shares.queues);
  const recount = await one(recountSample(pool, shares.recount));
  return { hosts, letters, queues, recount };
}

async function readFigures(pool: Pool) {
  const measures = await one(measureCrawls(pool));
  const shards = await measureShards(pool);
  const lags = await one(measureLags(pool));
  const database = await one(measureDatabase(pool));
  const workers = await measureWorkers(pool);
  const loads = await measureLoads(pool);
  const outages = await currentOutages(pool);
  const [backup] = await lastBackup(pool);
  return { measures, shards, lags, database, workers, loads, outages, backup };
}
