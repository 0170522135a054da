/**
 * `npm run bench -- options`: what the options that say more of pages cost a crawl. The same seeded web is crawled without
 * and with each of them in turn, several times; the median of the CPU time of a page counts, of all processes, from the
 * first request on.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { list, oneOf, script, whole } from '../test/support/script.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { contestants } from './contestants.ts';
import { cpuOf, median, table } from './figures.ts';
import { scratch } from './scratch.ts';

const folder = scratch('options');
const rulesFile = join(folder, 'rules.yaml');
writeFileSync(rulesFile, 'fields:\n  heading: {select: h1}\n  links: {select: a, type: url, many: true}\n');
const all: Readonly<Record<string, readonly string[]>> = {
  'near-duplicates': ['--near-duplicates', 'yes'],
  boilerplate: ['--boilerplate', 'leave-out'],
  search: ['--search'],
  changes: ['--changes', 'yes'],
  rules: ['--rules', rulesFile],
};
const names = Object.keys(all);
const { runs, only = names } = script('bench -- options', 'What options that say more of pages cost a crawl.')
  .option('--runs <count>', 'of each; the median counts', whole(), 3)
  .option('--only <names>', `measured instead of all: ${names.join(', ')}`, list(oneOf(names)))
  .parse()
  .opts<{ runs: number; only?: readonly string[] }>();
const cases: readonly (readonly [name: string, options: readonly string[]])[] = [
  ['none of them', []],
  ...only.map((name) => [name, all[name] ?? []] as const),
];

const milliseconds = new Map<string, number[]>(cases.map(([name]) => [name, []]));
const web = await spawnWeb({
  ...{ seed: 1, hosts: 40, pages: 250, bytes: 24_000, links: 40, latencyMs: 0, warm: true },
});
try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  const { run: crawl } = contestants.orbweaver();
  for (let run = 1; run <= runs; run++) {
    for (const [name, options] of cases) {
      const task = { seedsFile, folder: scratch('crawl', folder), asked: () => web.count() };
      const { pages, spending } = await crawl(task, options);
      const each = ((cpuOf(spending.end) - cpuOf(spending.start)) / pages) * 1_000;
      milliseconds.get(name)?.push(each);
      process.stderr.write(`run ${String(run)}: ${name} ${each.toFixed(2)} ms a page\n`);
    }
  }
} finally {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
}

const plain = median(milliseconds.get('none of them') ?? []);
const rows = [...milliseconds].map(([name, list]) => [
  ...[name, median(list).toFixed(2), `${(median(list) / plain).toFixed(2)} ×`],
]);
process.stdout.write(`${table([['with', 'ms of CPU a page', 'of none'], ...rows])}\n`);
