/**
 * `npm run bench:slow`: many hosts, each slow because it must be: how much of what their delays allow is fetched, and what
 * a page costs. Cases: 40 hosts without a delay, as the yardstick for the cost; 300 hosts at 1 s; 2,000 hosts at 10 s
 * that take 200 ms for an answer; 10,000 hosts of 3 pages each. Pages are counted, and manners judged, by the web's own
 * log; CPU time is that of every process of Orbweaver. Exits 1 where a target is missed or a host was asked impolitely.
 *
 * `--only fast,second` runs some of the cases: fast, second, ten, many.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { expectedOf } from '../test/web/expected.ts';
import { complaints, judge } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { crawlWithOrbweaver } from './contestants.ts';
import { table } from './figures.ts';
import type { Meter } from './meter.ts';
import { scratch } from './scratch.ts';

interface Case {
  readonly name: string;
  readonly hosts: number;
  readonly delaySeconds: number;
  readonly latencyMs: number;
  /** Seconds of the window in the steady state; null: the crawl is run to its end, and all of it is counted. */
  readonly windowSeconds: number | null;
  /** Of a host; null: more than it can be asked for. */
  readonly pages: number | null;
}

const cases: readonly Case[] = [
  { name: 'fast', hosts: 40, delaySeconds: 0, latencyMs: 0, windowSeconds: null, pages: 250 },
  { name: 'second', hosts: 300, delaySeconds: 1, latencyMs: 0, windowSeconds: 60, pages: null },
  { name: 'ten', hosts: 2_000, delaySeconds: 10, latencyMs: 200, windowSeconds: 120, pages: null },
  { name: 'many', hosts: 10_000, delaySeconds: 1, latencyMs: 0, windowSeconds: null, pages: 3 },
];

/** Of what the delays allow. */
const target = 0.97;
/** CPU per page against that of the fast hosts, at most. */
const costTarget = 1.5;
/** Seconds after which the window opens, and more for each host: until then hosts are still being started. */
const settleSeconds = (hosts: number): number => 20 + hosts / 50;
/** Seconds past the window, so that its end sees no draining. */
const margin = 15;

interface Measured {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly minGapMs: number | null;
  readonly peakMegabytes: number;
  readonly faults: readonly string[];
}

async function measure(one: Case): Promise<Measured> {
  const { hosts, delaySeconds, latencyMs, windowSeconds } = one;
  const folder = scratch(`bench-${one.name}`);
  const settle = settleSeconds(hosts);
  const seconds = windowSeconds === null ? null : settle + windowSeconds + margin;
  const pages = one.pages ?? Math.ceil(((seconds ?? 0) / delaySeconds) * 1.5);
  const web = await spawnWeb({ seed: 2, hosts, pages, bytes: 24_000, links: 40, latencyMs, warm: true });
  try {
    const seedsFile = join(folder, 'seeds.txt');
    writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
    const usage: { read: Meter['read'] | null; opened: number; closed: number } = {
      ...{ read: null, opened: 0, closed: 0 },
    };
    const cpuNow = (): number => usage.read?.().cpuSeconds ?? 0;
    const begun = async (): Promise<number> => {
      while ((await web.count()) === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      return web.now();
    };
    const crawl = crawlWithOrbweaver(
      { seedsFile, folder },
      [
        '--delay',
        String(delaySeconds),
        ...(seconds === null ? [] : ['--max-seconds', String(Math.ceil(seconds))]),
      ],
      (read) => {
        usage.read = read;
      },
    );
    const first = await Promise.race([begun(), crawl.then(() => 0)]);
    let [opens, closes] = [first, Infinity];
    if (windowSeconds !== null) {
      opens = first + settle * 1_000;
      closes = opens + windowSeconds * 1_000;
      await until(web.now, opens);
      usage.opened = cpuNow();
      await until(web.now, closes);
      usage.closed = cpuNow();
    }
    const { report, ended } = await crawl;
    if (windowSeconds === null) usage.closed = ended.usage.cpuSeconds;
    const log = await web.log();
    const counted = log.filter(
      ({ start, url }) => start >= opens && start < closes && !url.endsWith('/robots.txt'),
    );
    const expected = windowSeconds === null ? { expected: expectedOf(web.plan) } : {};
    const verdict = judge(log, { delayMs: delaySeconds * 1_000, ...expected });
    return {
      pages: counted.length,
      seconds: windowSeconds ?? report.seconds,
      cpuSeconds: usage.closed - usage.opened,
      minGapMs: verdict.minGapMs,
      peakMegabytes: ended.usage.peakMegabytes,
      faults: complaints(verdict),
    };
  } finally {
    await web.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function until(now: () => number, moment: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - now())));
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? cases.map(({ name }) => name);
for (const name of wanted)
  if (!cases.some((one) => one.name === name)) throw new RangeError(`no case is called ${name}`);

let [missed, fastCost]: [boolean, number | null] = [false, null];
const rows: string[][] = [];
for (const one of cases.filter(({ name }) => wanted.includes(name))) {
  const measured = await measure(one);
  const rate = measured.pages / measured.seconds;
  const cost = (measured.cpuSeconds / measured.pages) * 1_000;
  if (one.name === 'fast') fastCost = cost;
  const permitted = one.windowSeconds === null ? null : one.hosts / one.delaySeconds;
  const share = permitted === null ? null : rate / permitted;
  const factor = fastCost === null ? null : cost / fastCost;
  missed ||= measured.faults.length > 0 || (share ?? 1) < target || (factor ?? 1) > costTarget;
  rows.push([
    one.name,
    String(one.hosts),
    String(one.delaySeconds),
    String(measured.pages),
    rate.toFixed(1),
    share?.toFixed(3) ?? '',
    cost.toFixed(1),
    factor?.toFixed(2) ?? '',
    measured.minGapMs?.toFixed(0) ?? '',
    measured.peakMegabytes.toFixed(0),
  ]);
  for (const fault of measured.faults) process.stderr.write(`  ${one.name}: ${fault}\n`);
  process.stderr.write(`${rows.at(-1)?.join('  ') ?? ''}\n`);
}
const head = [
  'case',
  'hosts',
  'delay s',
  'pages',
  'pages/s',
  'of allowed',
  'CPU ms/page',
  'of fast',
  'gap ms',
  'MB',
];
process.stdout.write(table([head, ...rows]) + '\n');
process.stdout.write(
  `targets: ${String(target)} of allowed, ${String(costTarget)} of fast: ${missed ? 'MISSED' : 'met'}\n`,
);
process.exitCode = missed ? 1 : 0;
