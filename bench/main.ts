/**
 * `npm run bench`: bare loop, Crawlee and Orbweaver over the same seeded web, one after the other, as often as --runs
 * says; the median counts. What each fetched is judged by the web's own log. Exits 1 when a target is missed.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { expectedOf } from '../test/web/expected.ts';
import { complaints, judge, type Verdict } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { bare, crawlee, installCrawlee, orbweaver, type Task } from './contestants.ts';
import { medianRun, rate, table, type Figures } from './figures.ts';
import { scratch } from './scratch.ts';

/** Pages a second against each yardstick, at least. */
const targets = { bare: 0.15, crawlee: 3 };

const contestants = { bare, crawlee, orbweaver };
type Name = keyof typeof contestants;
const names: readonly Name[] = ['bare', 'crawlee', 'orbweaver'];

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    only: { type: 'string', default: names.join(',') },
    hosts: { type: 'string', default: '40' },
    pages: { type: 'string', default: '250' },
  },
});
const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new RangeError(`not a count: ${text}`);
  return value;
};
const [runs, hosts, pages] = [count(values.runs), count(values.hosts), count(values.pages)];
const wanted = values.only.split(',');
const chosen = names.filter((name) => wanted.includes(name));
for (const name of wanted) {
  if (!names.some((known) => known === name)) throw new RangeError(`nothing to measure is called ${name}`);
}

/** The yardsticks ask for no robots.txt, and Crawlee keeps no order among hosts: only Orbweaver is held to manners. */
function faultsOf(name: Name, verdict: Verdict): string[] {
  if (name === 'orbweaver') return complaints(verdict);
  return complaints({ ...verdict, overlaps: [], tooSoon: [], robotsNotFirst: [] });
}

if (chosen.includes('crawlee')) installCrawlee();
const folder = scratch('bench');
const measured = new Map<Name, Figures[]>(chosen.map((name) => [name, []]));
let failed = false;
const web = await spawnWeb({ seed: 1, hosts, pages, bytes: 24_000, links: 40, latencyMs: 0, warm: true });
try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  const expected = expectedOf(web.plan);
  for (let run = 1; run <= runs; run++) {
    for (const name of chosen) {
      const task: Task = { seedsFile, folder: scratch(name, folder) };
      const before = await web.count();
      const figures = await contestants[name](task);
      measured.get(name)?.push(figures);
      process.stderr.write(`run ${String(run)}: ${name} ${rate(figures).toFixed(0)} pages/s\n`);
      const faults = faultsOf(name, judge((await web.log()).slice(before), { delayMs: 0, expected }));
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
const head = ['median', 'pages', 'seconds', 'pages/s', 'of bare', 'of Crawlee', 'wall s', 'CPU s', 'MB'];
const rows = [...medians].map(([name, figures]) => [
  name,
  String(figures.pages),
  figures.seconds.toFixed(2),
  rate(figures).toFixed(0),
  times(ratio(name, 'bare')),
  times(ratio(name, 'crawlee')),
  figures.wallSeconds.toFixed(1),
  figures.cpuSeconds.toFixed(1),
  figures.peakMegabytes.toFixed(0),
]);
process.stdout.write(table([head, ...rows]) + '\n');
for (const yardstick of ['bare', 'crawlee'] as const) {
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
