/**
 * `npm run bench -- workers`: what a page costs in CPU time with 1, 2, 4 and 8 worker processes that fetch and read, over
 * the same web: the cost of a page must not grow with the number of processes that share one Postgres and one Temporal.
 * One more process decides (role control). All numbers of processes take turns; medians count. What is
 * counted is the last two thirds of a crawl, to its end: a process that has just started compiles its code first, which
 * costs as much as hundreds of pages, once. Exits 1 where a crawl is not whole or impolite, or where a page costs too
 * much more.
 *
 * Of 320 hosts each of eight processes gets 40, as many as `npm run bench -- peers` has. Of 40 hosts (`--hosts 40 --pages 200`) each
 * gets five: it commits little at a time, and compiles its code for a thousand pages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkerPlan } from '../stack/embedded.ts';
import type { AuditView } from '../contracts/http/results.ts';
import { startEmbedded } from '../test/support/embedded.ts';
import { list, script, whole } from '../test/support/script.ts';
import { until } from '../test/support/until.ts';
import { expectedOf } from '../test/web/expected.ts';
import { complaints, judge } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { median, table } from './figures.ts';
import { meter, type Spent } from './meter.ts';

/** Of the cost with the fewest processes, at most. */
const target = 1.1;
const longestMs = 600_000;
/** Share of the pages after which it is counted. */
const warm = 1 / 3;
/** The meter looks four times a second, and must have seen the last of the crawl. */
const settleMs = 1_000;

const {
  rounds,
  processes: counts,
  hosts,
  pages,
} = script('bench -- workers', 'What a page costs with several worker processes.')
  .option('--rounds <count>', 'of all numbers of processes', whole(), 1)
  .option(
    '--processes <counts>',
    'the first is what the others are compared with',
    list(whole()),
    [1, 2, 4, 8],
  )
  .option('--hosts <count>', 'of the web', whole(), 320)
  .option('--pages <count>', 'of each host', whole(), 100)
  .parse()
  .opts<{ rounds: number; processes: readonly number[]; hosts: number; pages: number }>();
const [least = 1] = counts;

interface Measured {
  readonly perSecond: number;
  /** Milliseconds of CPU time for each page, by stage. */
  readonly stages: ReadonlyMap<string, number>;
  readonly faults: readonly string[];
}

/** Our own processes and their services; not this process and the web. */
const ours = (spent: Spent): Map<string, number> =>
  new Map(
    [...spent]
      .filter(([stage]) => stage !== 'launcher')
      .map(([stage, works]) => [stage, [...works.values()].reduce((sum, one) => sum + one, 0)]),
  );
const total = (stages: ReadonlyMap<string, number>): number =>
  [...stages.values()].reduce((sum, one) => sum + one, 0);

async function measure(processes: number): Promise<Measured> {
  const workers: WorkerPlan[] = [
    { name: 'worker', roles: ['control'] },
    ...Array.from({ length: processes }, (_, at) => ({
      name: `worker-${String(at + 2)}`,
      roles: ['fetch', 'extract'] as const,
    })),
  ];
  const web = await spawnWeb({ seed: 4, hosts, pages, bytes: 24_000, links: 40, latencyMs: 0, warm: true });
  try {
    const embedded = await startEmbedded({ allowPrivate: ['127.0.0.0/8'] }, workers);
    const watch = meter(process.pid);
    try {
      const { id } = await embedded.crawl({ seeds: web.seeds, scope: 'any', delaySeconds: 0 });
      await until(
        'the processes are warm',
        async () => (await web.count()) >= warm * hosts * pages,
        longestMs,
      );
      const [start, before, from] = [ours(watch.spent()), await web.count(), performance.now()];
      const { state } = await embedded.ended(id, longestMs);
      const seconds = (performance.now() - from) / 1_000;
      await sleep(settleMs);
      const end = ours(watch.spent());
      const log = await web.log();
      const crawled = log.length - before;
      const audit = await embedded.ask<AuditView>(`/v1/crawls/${id}/audit`);
      return {
        perSecond: crawled / seconds,
        stages: new Map(
          [...end].map(([stage, spent]) => [stage, ((spent - (start.get(stage) ?? 0)) * 1_000) / crawled]),
        ),
        faults: [
          ...complaints(judge(log, { delayMs: 0, expected: expectedOf(web.plan) })),
          ...(state === 'finished' ? [] : [`the crawl is ${state}`]),
          ...(audit.ok ? [] : ['the audit finds differences']),
        ],
      };
    } finally {
      watch.stop();
      await embedded.close();
    }
  } finally {
    await web.stop();
  }
}

const measured = new Map<number, Measured[]>(counts.map((count) => [count, []]));
let failed = false;
for (let round = 1; round <= rounds; round++) {
  for (const count of counts) {
    const one = await measure(count);
    measured.get(count)?.push(one);
    process.stderr.write(
      `round ${String(round)}: ${String(count)} processes, ${total(one.stages).toFixed(2)} ms a page, ${one.perSecond.toFixed(0)} pages/s\n`,
    );
    for (const fault of one.faults) process.stderr.write(`  ${fault}\n`);
    failed ||= one.faults.length > 0;
  }
}

const of = (count: number, figure: (one: Measured) => number): number =>
  median((measured.get(count) ?? []).map(figure));
const stages = [...new Set([...measured.values()].flat().flatMap((one) => [...one.stages.keys()]))];
const growth = (count: number): number =>
  of(count, ({ stages: all }) => total(all)) / of(least, ({ stages: all }) => total(all));
process.stdout.write(
  `${table([
    ['processes', 'pages/s', 'CPU ms a page', `against ${String(least)}`, ...stages],
    ...counts.map((count) => [
      String(count),
      of(count, ({ perSecond }) => perSecond).toFixed(0),
      of(count, (one) => total(one.stages)).toFixed(2),
      `${growth(count).toFixed(2)} ×`,
      ...stages.map((stage) => of(count, (one) => one.stages.get(stage) ?? 0).toFixed(2)),
    ]),
  ])}\n`,
);
const most = Math.max(...counts.map(growth));
process.stdout.write(
  `target: ${target.toFixed(2)} ×, highest ${most.toFixed(2)} ×: ${most <= target ? 'met' : 'MISSED'}\n`,
);
process.exitCode = failed || most > target ? 1 : 0;
