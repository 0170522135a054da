/**
 * `npm run bench -- slow`: many hosts, each slow because it must be: how much of what their delays allow is fetched, and what
 * a page costs. Cases: 40 hosts without a delay, as the yardstick for the cost; 300 hosts at 1 s; 2,000 hosts at 10 s
 * that take 200 ms for an answer; 10,000 hosts of 3 pages each. Pages are counted, and manners judged, by the web's own
 * log; CPU time is that of every process of Orbweaver. Exits 1 where a target is missed or a host was asked impolitely.
 *
 * Two cases run only if they are named, and are held to manners alone: open (10,000 hosts at 60 s, with places and slots
 * for all of them: what a worker takes) and flood (50,000 hosts of 5 pages at 10 s, their first five minutes).
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectedOf } from '../test/web/expected.ts';
import { complaints, judge } from '../test/web/judge.ts';
import { startNameServer } from '../test/support/name-server.ts';
import { list, oneOf, script } from '../test/support/script.ts';
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
  /** How long it is measured, and after how many seconds; null: the crawl is run to its end, and all of it is counted. */
  readonly window: { readonly after: number; readonly seconds: number } | null;
  /** Of a host; null: more than it can be asked for. */
  readonly pages: number | null;
  /** One server for all, told apart by their names: more hosts than a process may have open files. */
  readonly named?: true;
  /** Runs only if it is named, and is held to manners alone. */
  readonly extra?: true;
  /** Of the stack. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Seconds until all hosts have been started, each with a workflow: twenty and more in a second. */
const startedAfter = (hosts: number): number => 20 + hosts / 20;

const cases: readonly Case[] = [
  { name: 'fast', hosts: 40, delaySeconds: 0, latencyMs: 0, window: null, pages: 250 },
  {
    ...{ name: 'second', hosts: 300, delaySeconds: 1, latencyMs: 0, pages: null },
    window: { after: startedAfter(300), seconds: 60 },
  },
  {
    ...{ name: 'ten', hosts: 2_000, delaySeconds: 10, latencyMs: 200, pages: null },
    window: { after: startedAfter(2_000), seconds: 120 },
  },
  { name: 'many', hosts: 10_000, delaySeconds: 1, latencyMs: 0, window: null, pages: 3 },
  {
    ...{ name: 'open', hosts: 10_000, delaySeconds: 60, latencyMs: 0, pages: null, extra: true },
    window: { after: startedAfter(10_000), seconds: 180 },
    settings: { ORBWEAVER_ACTIVE_HOSTS: '10000', ORBWEAVER_FETCH_SLOTS: '10000' },
  },
  {
    ...{ name: 'flood', hosts: 50_000, delaySeconds: 10, latencyMs: 0, pages: 5, named: true, extra: true },
    window: { after: 0, seconds: 300 },
  },
];

/** Of what the delays allow. */
const target = 0.97;
/** CPU per page against that of the fast hosts, at most. */
const costTarget = 1.5;
/** Seconds past the window, so that its end sees no draining. */
const margin = 15;

interface Measured {
  readonly pages: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly minGapMs: number | null;
  readonly peakMegabytes: number;
  readonly workerMegabytes: number;
  readonly faults: readonly string[];
}

interface Limits {
  readonly hosts: number;
  readonly delaySeconds: number;
  /** null: to the end. */
  readonly maxSeconds: number | null;
  /** Of Orbweaver's stack. */
  readonly settings: Readonly<Record<string, string>>;
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
  readonly workerMegabytes: number;
}>;

const orbweaver: Crawl = async (task, { delaySeconds, maxSeconds, settings }, watched) => {
  const limit = maxSeconds === null ? [] : ['--max-seconds', String(maxSeconds)];
  const options = ['--delay', String(delaySeconds), ...limit];
  const { report, ended } = await crawlWithOrbweaver(task, options, watched, settings);
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
    return { seconds: null, workerMegabytes: 0, ...(await crawlWithScrapy(python, task, settings, watched)) };
  };

async function measure(one: Case, crawlWith: Crawl): Promise<Measured> {
  const { hosts, delaySeconds, latencyMs, window } = one;
  const folder = scratch(`bench-${one.name}`);
  const seconds = window === null ? null : window.after + window.seconds + margin;
  const pages = one.pages ?? Math.ceil(((seconds ?? 0) / delaySeconds) * 1.5);
  const spread = one.named === true ? 'one-port' : 'ports';
  const look = { bytes: 24_000, links: 40, warm: true, spread } as const;
  const web = await spawnWeb({ seed: 2, hosts, pages, latencyMs, ...look });
  const names = one.named === true ? await startNameServer('127.0.0.1') : null;
  const dns = names === null ? {} : { ORBWEAVER_DNS: names.address };
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
    const crawl = crawlWith(
      { seedsFile, folder },
      { hosts, delaySeconds, maxSeconds, settings: { ...one.settings, ...dns } },
      (read) => {
        usage.read = read;
      },
    );
    const first = await Promise.race([begun(), crawl.then(() => 0)]);
    let [opens, closes] = [-Infinity, Infinity];
    if (window !== null) {
      opens = first + window.after * 1_000;
      closes = opens + window.seconds * 1_000;
      await until(web.now, opens);
      usage.opened = cpuNow();
      await until(web.now, closes);
      usage.closed = cpuNow();
    }
    const ended = await crawl;
    if (window === null) usage.closed = ended.cpuSeconds;
    const log = await web.log();
    const counted = log.filter(({ start, url }) => start >= opens && start < closes && !isRobots(url));
    const expected = window === null ? { expected: expectedOf(web.plan) } : {};
    const verdict = judge(log, { delayMs: delaySeconds * 1_000, ...expected });
    return {
      pages: counted.length,
      seconds: window?.seconds ?? ended.seconds ?? crawledBy(log).seconds,
      cpuSeconds: usage.closed - usage.opened,
      minGapMs: verdict.minGapMs,
      peakMegabytes: ended.peakMegabytes,
      workerMegabytes: ended.workerMegabytes,
      faults: complaints(verdict),
    };
  } finally {
    await web.stop();
    await names?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function until(now: () => number, moment: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, moment - now())));
}

const names = cases.map(({ name }) => name);
const usual = cases.filter(({ extra }) => extra === undefined).map(({ name }) => name);
const { only: wanted = usual, with: beside } = script(
  'bench -- slow',
  'Many hosts, each slow because it must be.',
)
  .option(
    '--only <cases>',
    `cases that run instead of ${usual.join(', ')}: of ${names.join(', ')}`,
    list(oneOf(names)),
  )
  .option(
    '--with <crawler>',
    'scrapy runs each case too, at the same delays, held to no target',
    oneOf(['scrapy']),
  )
  .parse()
  .opts<{ only?: readonly string[]; with?: 'scrapy' }>();

const crawlers = new Map([['orbweaver', orbweaver]]);
if (beside === undefined) process.stderr.write('--with scrapy measures Scrapy beside Orbweaver\n');
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
    const permitted = one.window === null ? null : one.hosts / one.delaySeconds;
    const share = permitted === null ? null : rate / permitted;
    const factor = fastCost === undefined ? null : cost / fastCost;
    if (crawler === 'orbweaver') {
      const short = (share ?? 1) < target || (factor ?? 1) > costTarget;
      missed ||= measured.faults.length > 0 || (short && one.extra === undefined);
    }
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
      measured.workerMegabytes.toFixed(0),
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
  'worker MB',
];
process.stdout.write([table([head, ...rows]), ...comparisons, ''].join('\n'));
process.stdout.write(
  `targets: ${String(target)} of allowed, ${String(costTarget)} of fast: ${missed ? 'MISSED' : 'met'}\n`,
);
process.exitCode = missed ? 1 : 0;
