/**
 * `npm run bench -- memory`: resident memory of the worker while it crawls as fast as it can, between page 2,000 and
 * page 10,000, or a later one. Exits 1 when it exceeds the limit or grows.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { script, whole } from '../test/support/script.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { crawlWithOrbweaver } from './contestants.ts';
import { slope, type Point } from './figures.ts';
import { residentOf } from './meter.ts';
import { scratch } from './scratch.ts';

const limitMegabytes = 400;
const from = 2_000;
const { pages: to } = script('bench -- memory', 'Resident memory of the worker while it crawls.')
  .option('--pages <count>', 'that are crawled', whole(from + 1), 10_000)
  .parse()
  .opts<{ pages: number }>();
const hosts = 40;
/** Growth from `from` to `to` that still counts as flat: the garbage collector's own to and fro. */
const flatMegabytes = 40;
const sampleMs = 250;

const folder = scratch('bench-memory');
const web = await spawnWeb({
  seed: 3,
  hosts,
  pages: Math.ceil((to * 1.04) / hosts),
  bytes: 24_000,
  links: 40,
  latencyMs: 0,
  warm: true,
});

/** Of the largest worker, in MB; null while there is none. */
function workerMemory(): number | null {
  const run = join(folder, 'data', 'run');
  let found: number | null = null;
  try {
    for (const name of readdirSync(run)) {
      if (!/^worker.*\.pid$/.test(name)) continue;
      const megabytes = residentOf(parseInt(readFileSync(join(run, name), 'utf8'), 10));
      if (megabytes !== null) found = Math.max(found ?? 0, megabytes);
    }
  } catch {
    // The folder appears with the stack and vanishes with it.
  }
  return found;
}

try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  const points: Point[] = [];
  const crawled = new AbortController();
  const sampler = (async () => {
    while (!crawled.signal.aborted) {
      const pages = await web.count();
      const megabytes = workerMemory();
      if (megabytes !== null && pages >= from && pages <= to) points.push({ x: pages, y: megabytes });
      await new Promise((resolve) => setTimeout(resolve, sampleMs));
    }
  })();
  try {
    await crawlWithOrbweaver({ seedsFile, folder }, ['--delay', '0']);
  } finally {
    crawled.abort();
    await sampler;
  }

  const peak = Math.max(...points.map((point) => point.y));
  const growth = slope(points) * (to - from);
  const met = points.length > 0 && peak <= limitMegabytes && growth <= flatMegabytes;
  process.stdout.write(
    [
      `worker, page ${String(from)} to ${String(to)}, ${String(points.length)} samples`,
      `highest: ${peak.toFixed(0)} MB, limit ${String(limitMegabytes)} MB`,
      `slope: ${((growth / (to - from)) * 1_000).toFixed(2)} MB per 1,000 pages, ${growth.toFixed(0)} MB in all, ` +
        `flat up to ${String(flatMegabytes)} MB`,
      met ? 'met' : 'MISSED',
    ].join('\n') + '\n',
  );
  process.exitCode = met ? 0 : 1;
} finally {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
}
