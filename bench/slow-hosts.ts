/**
 * `npm run bench:slow`: many hosts, each slow because it must be: how much of what their delays allow is fetched, and what
 * a page costs. Cases: 40 hosts without a delay, as the yardstick for the cost; 300 hosts at 1 s; 2,000 hosts at 10 s
 * that take 200 ms for an answer; 10,000 hosts of 3 pages each. Pages are counted, and manners judged, by the web's own
 * log; CPU time is that of every process of Orbweaver. Exits 1 where a target is missed or a host was asked impolitely.
 *
 * `--only fast,second` runs some of the cases: fast, second, ten, many.
 * `--with scrapy` runs each case with Scrapy too, at the same delays; it is held to no target.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { expectedOf } from '../test/web/expected.ts';
import { complaints, judge } from '../test/web/judge.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { crawlWithOrbweaver, crawlWithScrapy, type Task } from './contestants.ts';
import { crawledBy, isRobots, table } from './figures.ts';
import { installScrapy } from './install.ts';
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
/** Seconds after which the window opens, and more for each host: until then hosts are still being started, each with a workflow. */
const settleSeconds = (hosts: number): number => 20 + hosts / 20;
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

interface Limits {
  readonly hosts: number;
  readonly delaySeconds: number;
  /** null: to the end. */
  readonly maxSeconds: number | null;
}

/** Resolves with the seconds that the crawl took by its own account; null: it gives none, the web's log tells. */
type Crawl = (
  task: Task,
  limits: Limits,
  watched: (usage: Meter['read']) => void,
) => Promise<{
  readonly seconds: number | null;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}>;

const orbweaver: Crawl = async (task, { delaySeconds, maxSeconds }, watched) => {
  const limit = maxSeconds === null ? [] : ['--max-seconds', String(maxSeconds)];
  const options = ['--delay', String(delaySeconds), ...limit];
  const { report, ended } = await crawlWithOrbweaver(task, options, watched);
  return { seconds: report.seconds, ...ended.usage };
};

const scrapy =
  (python: string): Crawl =>
  async (task, { hosts, delaySeconds, maxSeconds }, watched) => {
    const settings = {
      DOWNLOAD_DELAY: delaySeconds,
      // By default the delay varies by half of it, down as well.
      DOWNLOAD_DELAY_JITTER: 0,
      CONCURRENT_REQUESTS_PER_DOMAIN: 1,
      // A request that waits for its host's delay takes a place.
      CONCURRENT_REQUESTS: Math.max(100, hosts),
      CLOSESPIDER_TIMEOUT: maxSeconds ?? 0,
    };
    return { seconds: null, ...(await crawlWithScrapy(python, task, settings, watched)) };
  };

async function measure(one: Case, crawlWith: Crawl): Promise<Measured> {
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
    const maxSeconds = seconds === null ? null : Math.ceil(seconds);
    const crawl = crawlWith({ seedsFile, folder }, { hosts, delaySeconds, maxSeconds }, (read) => {
      usage.read = read;
    });
    const first = await Promise.race([begun(), crawl.then(() => 0)]);
    let [opens, closes] = [-Infinity, Infinity];
    if (windowSeconds !== null) {
      opens = first + settle * 1_000;
      closes = opens + windowSeconds * 1_000;
      await until(web.now, opens);
      usage.opened = cpuNow();
      await until(web.now, closes);
      usage.closed = cpuNow();
    }
    const ended = await crawl;
    if (windowSeconds === null) usage.closed = ended.cpuSeconds;
    const log = await web.log();
    const counted = log.filter(({ start, url }) => start >= opens && start < closes && !isRobots(url));
    const expected = windowSeconds === null ? { expected: expectedOf(web.plan) } : {};
    const verdict = judge(log, { delayMs: delaySeconds * 1_000, ...expected });
    return {
      pages: counted.length,
      seconds: windowSeconds ?? ended.seconds ?? crawledBy(log).seconds,
      cpuSeconds: usage.closed - usage.opened,
      minGapMs: verdict.minGapMs,
      peakMegabytes: ended.peakMegabytes,
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

const { values } = parseArgs({ options: { only: { type: 'string' }, with: { type: 'string' } } });
const wanted = values.only?.split(',') ?? cases.map(({ name }) => name);
for (const name of wanted)
  if (!cases.some((one) => one.name === name)) throw new RangeError(`no case is called ${name}`);
if (values.with !== undefined && values.with !== 'scrapy')
  throw new RangeError(`nothing to measure beside Orbweaver is called ${values.with}`);

const crawlers = new Map([['orbweaver', orbweaver]]);
if (values.with === undefined) process.stderr.write('--with scrapy measures Scrapy beside Orbweaver\n');
else {
  const program = installScrapy();
  if ('path' in program) crawlers.set('scrapy', scrapy(program.path));
  else process.stderr.write(`scrapy is skipped: ${program.missing}\n`);
}

let missed = false;
const fastCosts = new Map<string, number>();
const rows: string[][] = [];
const comparisons: string[] = [];
for (const one of cases.filter(({ name }) => wanted.includes(name))) {
  const costs = new Map<string, number>();
  for (const [crawler, crawlWith] of crawlers) {
    const measured = await measure(one, crawlWith);
    const rate = measured.pages / measured.seconds;
    const cost = (measured.cpuSeconds / measured.pages) * 1_000;
    costs.set(crawler, cost);
    if (one.name === 'fast') fastCosts.set(crawler, cost);
    const fastCost = fastCosts.get(crawler);
    const permitted = one.windowSeconds === null ? null : one.hosts / one.delaySeconds;
    const share = permitted === null ? null : rate / permitted;
    const factor = fastCost === undefined ? null : cost / fastCost;
    if (crawler === 'orbweaver')
      missed ||= measured.faults.length > 0 || (share ?? 1) < target || (factor ?? 1) > costTarget;
    rows.push([
      one.name,
      crawler,
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
    for (const fault of measured.faults) process.stderr.write(`  ${one.name}, ${crawler}: ${fault}\n`);
    process.stderr.write(`${rows.at(-1)?.join('  ') ?? ''}\n`);
  }
  const [own, other] = [costs.get('orbweaver'), costs.get('scrapy')];
  if (own !== undefined && other !== undefined)
    comparisons.push(`${one.name}: a page costs ${(own / other).toFixed(2)} × what it costs Scrapy`);
}
const head = [
  'case',
  'crawler',
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
process.stdout.write([table([head, ...rows]), ...comparisons, ''].join('\n'));
process.stdout.write(
  `targets: ${String(target)} of allowed, ${String(costTarget)} of fast: ${missed ? 'MISSED' : 'met'}\n`,
);
process.exitCode = missed ? 1 : 0;
