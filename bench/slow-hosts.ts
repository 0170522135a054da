/**
 * `npm run bench:delay`: a hundred hosts at the default delay of one second. Whether Orbweaver keeps all of them busy is
 * read from the web's own log: pages a second over a window in the steady state. Exits 1 below the target or when any
 * host was asked impolitely.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { complaints, judge } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { crawlWithOrbweaver } from './contestants.ts';
import { scratch } from './scratch.ts';

const hosts = 100;
const delaySeconds = 1;
/** Of what the delay allows. */
const target = 0.95;
/** Seconds after the first request that the window opens; until then hosts are still being started. */
const settle = 20;
const windowSeconds = 60;
/** Seconds past the window, so that its end sees no draining. */
const margin = 15;
const seconds = settle + windowSeconds + margin;

const folder = scratch('bench-delay');
const pages = Math.ceil((seconds / delaySeconds) * 1.5);
const web = await spawnWeb({ seed: 2, hosts, pages, bytes: 24_000, links: 40, warm: true });
try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  const { report } = await crawlWithOrbweaver({ seedsFile, folder }, ['--max-seconds', String(seconds)]);
  const log = await web.log();

  const opens = (log[0]?.start ?? 0) + settle * 1_000;
  const closes = opens + windowSeconds * 1_000;
  const inWindow = log.filter(
    ({ start, url }) => start >= opens && start < closes && !url.endsWith('/robots.txt'),
  );
  const reached = inWindow.length / windowSeconds / (hosts / delaySeconds);
  const verdict = judge(log, { delayMs: delaySeconds * 1_000 });
  const faults = complaints(verdict);
  const met = reached >= target;
  process.stdout.write(
    [
      `${String(hosts)} hosts, ${String(delaySeconds)} s delay, ${String(windowSeconds)} s in the steady state`,
      `pages/s: ${(inWindow.length / windowSeconds).toFixed(1)}, ${reached.toFixed(3)} of what the delay allows`,
      `target: ${String(target)}: ${met ? 'met' : 'MISSED'}`,
      `smallest gap on a host: ${verdict.minGapMs?.toFixed(1) ?? 'none'} ms`,
      `crawl: ${report.state}, ${String(report.fetches)} fetches in ${report.seconds.toFixed(1)} s`,
      ...faults,
    ].join('\n') + '\n',
  );
  process.exitCode = met && faults.length === 0 ? 0 : 1;
} finally {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
}
