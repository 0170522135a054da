/** The crawlers that are measured: how each is started and where its figures come from. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figures, Spending, Used } from './figures.ts';
import { installColly, installCrawlee, installScrapy, type Program } from './install.ts';
import { meter, type Meter, type Spent, type Usage } from './meter.ts';

const root = join(import.meta.dirname, '..');

export interface Task {
  /** One URL a line. */
  readonly seedsFile: string;
  /** Empty, for what this run alone keeps on disk. */
  readonly folder: string;
}

interface Contest extends Task {
  /** Requests that the web has had. */
  readonly asked: () => Promise<number>;
}

/** Is handed the meter of all processes of a program, to be read while it runs. */
type Watched = (usage: Meter['read'], spent: Meter['spent']) => void;

/** The last line of `./orbweaver crawl --json`; fields that nothing here reads are left out. */
export interface CrawlReport {
  readonly state: string;
  readonly seconds: number;
  readonly fetches: number;
  readonly ledger: { readonly discovered: number; readonly done: number };
}

interface Ended {
  readonly lastLine: string;
  readonly code: number | null;
  readonly wallSeconds: number;
  readonly usage: Usage;
  readonly spent: Spent;
}

/** Runs a program to its end, under the meter; what it says on standard error is shown. */
async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  watched?: Watched,
): Promise<Ended> {
  const start = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const watch = meter(child.pid ?? 0);
  watched?.(
    () => watch.read(),
    () => watch.spent(),
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  watch.stop();
  const wallSeconds = (performance.now() - start) / 1_000;
  const lastLine = output.trimEnd().split('\n').at(-1) ?? '';
  return { lastLine, code, wallSeconds, usage: watch.read(), spent: watch.spent() };
}

/** A program that counts no pages: the web's log does. */
async function runQuiet(command: string, args: readonly string[], watched?: Watched): Promise<Used> {
  const { code, wallSeconds, usage } = await run(command, args, {}, watched);
  if (code !== 0) throw new Error(`${command} ended with code ${String(code)}`);
  return { ...usage, wallSeconds };
}

async function runScript(script: string, args: readonly string[]): Promise<Figures> {
  const { lastLine, code, wallSeconds } = await run(process.execPath, [join(root, script), ...args]);
  if (code !== 0) throw new Error(`${script} ended with code ${String(code)}`);
  return { ...(JSON.parse(lastLine) as Omit<Figures, 'wallSeconds'>), wallSeconds };
}

const bare = (task: Task): Promise<Figures> => runScript('bench/bare.ts', [task.seedsFile]);

const crawlee = (task: Task): Promise<Figures> =>
  runScript('bench/crawlee/crawl.mjs', [task.seedsFile, join(task.folder, 'storage')]);

/**
 * One crawl with the queue and the seen-set in a job folder on disk.
 * @param python of the environment that has Scrapy
 * @param settings on top of those in bench/scrapy/crawl.py
 */
export function crawlWithScrapy(
  python: string,
  task: Task,
  settings: Readonly<Record<string, number>>,
  watched?: Watched,
): Promise<Used> {
  const all = { ...settings, JOBDIR: join(task.folder, 'job') };
  const args = [join(root, 'bench/scrapy/crawl.py'), task.seedsFile, JSON.stringify(all)];
  return runQuiet(python, args, watched);
}

/**
 * One crawl on a stack of its own: fresh data, so that nothing is known beforehand.
 */
export async function crawlWithOrbweaver(
  task: Task,
  options: readonly string[],
  watched?: Watched,
  settings: NodeJS.ProcessEnv = {},
): Promise<{ report: CrawlReport; ended: Ended }> {
  const data = join(task.folder, 'data');
  mkdirSync(data, { recursive: true });
  const args = [
    'crawl',
    '--seeds',
    task.seedsFile,
    '--scope',
    'any',
    '--allow-private',
    '127.0.0.0/8',
    '--json',
  ];
  const env = { ...settings, ORBWEAVER_DATA: data };
  const ended = await run(join(root, 'orbweaver'), [...args, ...options], env, watched);
  if (ended.code !== 0) throw new Error(`orbweaver ended with code ${String(ended.code)}`);
  return { report: JSON.parse(ended.lastLine) as CrawlReport, ended };
}

/** @param options of the crawl, besides what it is to fetch */
async function orbweaver(
  task: Contest,
  options: readonly string[] = [],
): Promise<Figures & { readonly spending: Omit<Spending, 'web'> }> {
  const before = await task.asked();
  let start: Spent = new Map();
  const begun = async (spent: Meter['spent']): Promise<void> => {
    while ((await task.asked()) === before) await sleep(50);
    start = spent();
  };
  let beginning: Promise<void> = Promise.resolve();
  const { report, ended } = await crawlWithOrbweaver(task, ['--delay', '0', ...options], (_, spent) => {
    beginning = begun(spent);
  });
  if (report.state !== 'finished') throw new Error(`the crawl is ${report.state}`);
  await beginning;
  return {
    pages: report.ledger.done,
    seconds: report.seconds,
    wallSeconds: ended.wallSeconds,
    ...ended.usage,
    spending: { start, end: ended.spent },
  };
}

/** Installs what it needs. What it fetched and how long that took is told by the web's log, unless it tells itself. */
export type Run = (
  task: Contest,
) => Promise<(Used | Figures) & { readonly spending?: Omit<Spending, 'web'> }>;
type Contestant = () => { readonly run: Run } | { readonly missing: string };

const installed = (program: Program, run: (path: string, task: Task) => Promise<Used>) =>
  'missing' in program ? program : { run: (task: Task) => run(program.path, task) };

export const contestants = {
  bare: () => ({ run: bare }),
  crawlee: () => {
    installCrawlee();
    return { run: crawlee };
  },
  scrapy: () => installed(installScrapy(), (python, task) => crawlWithScrapy(python, task, {})),
  colly: () => installed(installColly(), (program, task) => runQuiet(program, [task.seedsFile])),
  orbweaver: () => ({ run: orbweaver }),
} satisfies Record<string, Contestant>;
