/** What metrics of the whole instance are read from. */
import { lastBackup } from '../../storage/backups/index.ts';
import {
  currentOutages,
  measureLoads,
  measurePoliteness,
  measureWorkers,
} from '../../storage/instance/index.ts';
import { isStorageOutage, one, type Pool } from '../../storage/postgres/index.ts';
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
import { instanceGroups, type Sources } from './metric.ts';

/**
 * Milliseconds that a count stays fresh. Counting reads some megabytes of tables, so scrapes within this time share one.
 */
const freshMs = 10_000;

type Looks = ReturnType<typeof lookAt>;
export type InstanceNow = { readonly [Group in keyof Looks]: Awaited<Looks[Group]> };

/** Scrapes at the same time share one look, however long that look takes. Without Postgres there is none to share. */
export function instanceSources(pool: Pool): Sources<InstanceNow> {
  let current: { readonly looks: Looks; freshUntil: number } | null = null;
  const look = (): Looks => {
    if (current !== null && performance.now() < current.freshUntil) return current.looks;
    const made = { looks: lookAt(pool), freshUntil: Infinity };
    current = made;
    const groups = Object.values<Promise<unknown>>(made.looks);
    void Promise.allSettled(groups).then(() => {
      made.freshUntil = performance.now() + freshMs;
    });
    for (const group of groups)
      group.catch((error: unknown) => {
        if (isStorageOutage(error) && current === made) current = null;
      });
    return made.looks;
  };
  return Object.fromEntries(
    instanceGroups.map((group) => [group, () => look()[group]]),
  ) as Sources<InstanceNow>;
}

/**
 * One statement after another in each of two lines: requests to the API need the other connections. One that fails takes
 * those that are made of it along, unless Postgres is away, which no other would find otherwise.
 */
function lookAt(pool: Pool) {
  const [sampled, read] = [inLine(), inLine()];
  const shares = sampled(() => one(sampleShares(pool)));
  return {
    hosts: sampled(async () => measureHosts(pool, (await shares).hosts)),
    letters: sampled(async () => measureDeadLetters(pool, (await shares).letters)),
    queues: sampled(async () => measureQueues(pool, (await shares).queues)),
    recount: sampled(async () => one(recountSample(pool, (await shares).recount))),
    measures: read(() => one(measureCrawls(pool))),
    shards: read(() => measureShards(pool)),
    lags: read(() => one(measureLags(pool))),
    database: read(() => one(measureDatabase(pool))),
    workers: read(() => measureWorkers(pool)),
    loads: read(() => measureLoads(pool)),
    outages: read(() => currentOutages(pool)),
    politeness: read(() => one(measurePoliteness(pool))),
    backup: read(async () => (await lastBackup(pool))[0]),
  } satisfies Record<(typeof instanceGroups)[number], Promise<unknown>>;
}

/** Does one after another; what comes after an outage of Postgres fails with it. */
function inLine(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch((error: unknown) => {
      if (isStorageOutage(error)) throw error;
    });
    // Whoever reads the group is told.
    last.catch(() => undefined);
    return mine;
  };
}
