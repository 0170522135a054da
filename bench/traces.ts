/**
 * `npm run bench -- traces`: what traces cost. The same seeded web is crawled with traces off, on with one in a hundred
 * sent, and with all sent, in turn, several times, to a collector in this process that throws them away. The median of
 * the CPU time of a page counts, of all processes, from the first request on.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { script, whole } from '../test/support/script.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { contestants } from './contestants.ts';
import { cpuOf, median, table } from './figures.ts';
import { scratch } from './scratch.ts';

const { runs, pages: each } = script('bench -- traces', 'What traces cost a page.')
  .option('--runs <count>', 'of each; the median counts', whole(), 3)
  .option('--pages <count>', 'of each of the forty hosts', whole(), 250)
  .parse()
  .opts<{ runs: number; pages: number }>();
const cases = [
  ['off', null],
  ['1 in 100', '0.01'],
  ['all', '1'],
] as const;

let bytes = 0;
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => response.end('{}'));
}).listen(0, '127.0.0.1');
await once(collector, 'listening');
const otlp = `http://127.0.0.1:${String((collector.address() as AddressInfo).port)}`;

const folder = scratch('traces');
const figures = new Map(
  cases.map(([name]) => [name, { milliseconds: [] as number[], bytes: [] as number[] }]),
);
const web = await spawnWeb({
  ...{ seed: 1, hosts: 40, pages: each, bytes: 24_000, links: 40, latencyMs: 0, warm: true },
});
try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  const { run: crawl } = contestants.orbweaver();
  for (let run = 1; run <= runs; run++) {
    for (const [name, sample] of cases) {
      // The stack that the crawl starts takes its settings from this environment.
      process.env['ORBWEAVER_OTLP'] = sample === null ? '' : otlp;
      process.env['ORBWEAVER_TRACE_SAMPLE'] = sample ?? '';
      bytes = 0;
      const task = { seedsFile, folder: scratch('crawl', folder), asked: () => web.count() };
      const { pages, spending } = await crawl(task, []);
      const spent = ((cpuOf(spending.end) - cpuOf(spending.start)) / pages) * 1_000;
      figures.get(name)?.milliseconds.push(spent);
      figures.get(name)?.bytes.push(bytes / pages);
      process.stderr.write(`run ${String(run)}: ${name} ${spent.toFixed(2)} ms a page\n`);
    }
  }
} finally {
  await web.stop();
  collector.close();
  rmSync(folder, { recursive: true, force: true });
}

const plain = median(figures.get('off')?.milliseconds ?? []);
const rows = [...figures].map(([name, { milliseconds, bytes: sent }]) => [
  ...[name, median(milliseconds).toFixed(2), `${(median(milliseconds) / plain).toFixed(3)} ×`],
  median(sent).toFixed(0),
]);
process.stdout.write(`${table([['traces', 'ms of CPU a page', 'of off', 'bytes sent a page'], ...rows])}\n`);
