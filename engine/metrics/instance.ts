/** What metrics of the whole instance are read from. */
import { currentOutages, measureLoads } from '../../storage/instance/index.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import {
  measureCrawls,
  measureDeadLetters,
  measureHosts,
  measureQueues,
} from '../../storage/reports/index.ts';

/**
 * Milliseconds that a count stays fresh. Counting goes over whole tables, so scrapes within this time share one count.
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

async function lookAt(pool: Pool) {
  const [[measures], hosts, letters, [ages], loads, outages] = await Promise.all([
    measureCrawls(pool),
    measureHosts(pool),
    measureDeadLetters(pool),
    measureQueues(pool),
    measureLoads(pool),
    currentOutages(pool),
  ]);
  if (measures === undefined || ages === undefined) throw new Error('Postgres returned no measurements');
  return { measures, hosts, letters, ages, loads, outages };
}
