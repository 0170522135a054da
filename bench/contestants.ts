/** The three crawlers that are measured: how each is started and where its figures come from. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Figures } from './figures.ts';
import { meter, type Meter } from './meter.ts';

const root = join(import.meta.dirname, '..');

export interface Task {
  /** One URL a line. */
  readonly seedsFile: string;
  /** Empty, for what this run alone keeps on disk. */
  readonly folder: string;
}

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
  readonly usage: ReturnType<Meter['read']>;
}

/** Runs a program to its end, under the meter; what it says on standard error is shown. */
async function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  watched?: (usage: Meter['read']) => void,
): Promise<Ended> {
  const start = performance.now();
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const watch = meter(child.pid ?? 0);
  watched?.(() => watch.read());
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  watch.stop();
  const wallSeconds = (performance.now() - start) / 1_000;
  return { lastLine: output.trimEnd().split('\n').at(-1) ?? '', code, wallSeconds, usage: watch.read() };
}

async function runScript(script: string, args: readonly string[]): Promise<Figures> {
  const { lastLine, code, wallSeconds } = await run(process.execPath, [join(root, script), ...args]);
  if (code !== 0) throw new Error(`${script} ended with code ${String(code)}`);
  return { ...(JSON.parse(lastLine) as Omit<Figures, 'wallSeconds'>), wallSeconds };
}

export const bare = (task: Task): Promise<Figures> => runScript('bench/bare.ts', [task.seedsFile]);

/** Fetches Crawlee the first time; it is no dependency of the project, so that newcomers never download it. */
export function installCrawlee(): void {
  const folder = join(root, 'bench', 'crawlee');
  if (existsSync(join(folder, 'node_modules', '@crawlee', 'cheerio'))) return;
  process.stderr.write('installing Crawlee into bench/crawlee (once)\n');
  const flags = ['--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...flags], { cwd: folder, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('Crawlee could not be installed; --only bare,orbweaver does without');
}

export const crawlee = (task: Task): Promise<Figures> =>
  runScript('bench/crawlee/crawl.mjs', [task.seedsFile, join(task.folder, 'storage')]);

/**
 * One crawl on a stack of its own: fresh data, so that nothing is known beforehand.
 * @param watched is handed the meter of all its processes, to be read while it runs
 */
export async function crawlWithOrbweaver(
  task: Task,
  options: readonly string[],
  watched?: (usage: Meter['read']) => void,
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
  const ended = await run(join(root, 'orbweaver'), [...args, ...options], { ORBWEAVER_DATA: data }, watched);
  if (ended.code !== 0) throw new Error(`orbweaver ended with code ${String(ended.code)}`);
  return { report: JSON.parse(ended.lastLine) as CrawlReport, ended };
}

export async function orbweaver(task: Task): Promise<Figures> {
  const { report, ended } = await crawlWithOrbweaver(task, ['--delay', '0']);
  if (report.state !== 'finished') throw new Error(`the crawl is ${report.state}`);
  return {
    pages: report.ledger.done,
    seconds: report.seconds,
    wallSeconds: ended.wallSeconds,
    ...ended.usage,
  };
}
