/**
 * `npm run bench -- peers`: bare loop, Crawlee, Scrapy, Colly and Orbweaver over the same seeded web, one after the other, in
 * several runs; the median counts. What each fetched is judged by the web's own log. Scrapy and Colly are
 * skipped where they cannot be had. Exits 1 when a target is missed.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { list, oneOf, script, whole } from '../test/support/script.ts';
import { expectedOf } from '../test/web/expected.ts';
import { complaints, judge, type Verdict } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { contestants, type Run } from './contestants.ts';
import {
  budget,
  crawledBy,
  isRobots,
  medianRun,
  rate,
  table,
  type Figures,
  type Spending,
} from './figures.ts';
import { usageOf } from './meter.ts';
import { scratch } from './scratch.ts';

/** Pages a second against each yardstick, at least. */
const targets = { bare: 0.3, crawlee: 7, scrapy: 7, colly: 1.5 };

type Name = keyof typeof contestants;
const names: readonly Name[] = ['bare', 'crawlee', 'scrapy', 'colly', 'orbweaver'];

interface Measured extends Figures {
  /** For pages; more than `pages` where some are asked for twice. */
  readonly requests: number;
  readonly spending?: Spending;
}

const {
  runs,
  only: wanted = names,
  hosts,
  pages,
} = script('bench -- peers', 'Crawlers over the same seeded web, one after the other.')
  .option('--runs <count>', 'of each; the median counts', whole(), 3)
  .option('--only <names>', `measured instead of all: ${names.join(', ')}`, list(oneOf(names)))
  .option('--hosts <count>', 'of the web', whole(), 40)
  .option('--pages <count>', 'of each host', whole(), 250)
  .parse()
  .opts<{ runs: number; only?: readonly Name[]; hosts: number; pages: number }>();
const runners = new Map<Name, Run>();
for (const name of names.filter((known) => wanted.includes(known))) {
  const contestant = contestants[name]();
  if ('run' in contestant) runners.set(name, contestant.run);
  else process.stderr.write(`${name} is skipped: ${contestant.missing}\n`);
}

/**
 * Only Orbweaver is held to manners: the bare loop and Crawlee ask for no robots.txt, Crawlee, Scrapy and Colly keep no
 * order among the requests of a host, and Colly asks for many pages, and some robots.txt, twice.
 */
function faultsOf(name: Name, verdict: Verdict): string[] {
  if (name === 'orbweaver') return complaints(verdict);
  const held = { ...verdict, overlaps: [], tooSoon: [], robotsNotFirst: [] };
  return complaints(name === 'colly' ? { ...held, repeated: new Map(), robotsRepeated: new Map() } : held);
}

const folder = scratch('bench');
const measured = new Map<Name, Measured[]>([...runners.keys()].map((name) => [name, []]));
let failed = false;
const web = await spawnWeb({ seed: 1, hosts, pages, bytes: 24_000, links: 40, latencyMs: 0, warm: true });
try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  const expected = expectedOf(web.plan);
  for (let run = 1; run <= runs; run++) {
    for (const [name, crawl] of runners) {
      const before = await web.count();
      const webBefore = usageOf(web.pid).cpuSeconds;
      const { spending, ...used } = await crawl({
        ...{ seedsFile, folder: scratch(name, folder), asked: () => web.count() },
      });
      const webSeconds = usageOf(web.pid).cpuSeconds - webBefore;
      const log = (await web.log()).slice(before);
      const requests = log.filter(({ url }) => !isRobots(url)).length;
      const figures: Measured = {
        ...crawledBy(log),
        ...used,
        requests,
        ...(spending !== undefined && { spending: { ...spending, web: webSeconds } }),
      };
      measured.get(name)?.push(figures);
      process.stderr.write(`run ${String(run)}: ${name} ${rate(figures).toFixed(0)} pages/s\n`);
      const faults = faultsOf(name, judge(log, { delayMs: 0, expected }));
      for (const fault of faults) process.stderr.write(`  ${name}: ${fault}\n`);
      failed ||= faults.length > 0;
    }
  }
} finally {
  await web.stop();
  // Not before: ext4 passes over inodes that were freed in the last minutes one by one, at the next run's cost.
  rmSync(folder, { recursive: true, force: true });
}

const medians = new Map([...measured].map(([name, list]) => [name, medianRun(list)]));
const ratio = (name: Name, against: Name): number | null => {
  const [one, other] = [medians.get(name), medians.get(against)];
  return one === undefined || other === undefined ? null : rate(one) / rate(other);
};
const times = (value: number | null): string => (value === null ? '' : `${value.toFixed(2)} ×`);
const head = [
  'median',
  'pages',
  'requests',
  'seconds',
  'pages/s',
  'of bare',
  'of Crawlee',
  'wall s',
  'CPU s',
  'MB',
];
const rows = [...medians].map(([name, figures]) => [
  name,
  String(figures.pages),
  String(figures.requests),
  figures.seconds.toFixed(2),
  rate(figures).toFixed(0),
  times(ratio(name, 'bare')),
  times(ratio(name, 'crawlee')),
  figures.wallSeconds.toFixed(1),
  figures.cpuSeconds.toFixed(1),
  figures.peakMegabytes.toFixed(0),
]);
process.stdout.write(table([head, ...rows]) + '\n');
for (const [name, { spending, pages: crawled }] of medians) {
  if (spending !== undefined) process.stdout.write(`${name}\n${table(budget(spending, crawled))}\n`);
}
for (const yardstick of ['bare', 'crawlee', 'scrapy', 'colly'] as const) {
  const reached = ratio('orbweaver', yardstick);
  if (reached === null) continue;
  const met = reached >= targets[yardstick];
  failed ||= !met;
  const verdict = met ? 'met' : 'MISSED';
  process.stdout.write(
    `target of ${yardstick}: ${times(targets[yardstick])}, reached ${times(reached)}: ${verdict}\n`,
  );
}
process.exitCode = failed ? 1 : 0;
