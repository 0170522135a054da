/** What a benchmark measures and how it is summed up. */
import type { RequestRecord } from '../test/web/log.ts';
import type { Spent } from './meter.ts';

/** What a crawl got done. */
interface Crawled {
  readonly pages: number;
  /** Of the crawl itself, from its start to its finish. */
  readonly seconds: number;
}

/** What a program used. */
export interface Used {
  /** From the start of the program to its end. */
  readonly wallSeconds: number;
  /** User and system time of every process of the program. */
  readonly cpuSeconds: number;
  /** Highest resident memory, in MB (all processes added up; pages shared between them are counted in each). */
  readonly peakMegabytes: number;
}

export interface Figures extends Crawled, Used {}

/**
 * A crawl by the web's own log: the different pages that it answered, and the seconds from the first request to the end
 * of the last page.
 */
export function crawledBy(log: readonly RequestRecord[]): Crawled {
  const pages = log.filter(({ status, url }) => status === 200 && !isRobots(url));
  const start = Math.min(...log.map((record) => record.start));
  const end = Math.max(...pages.map((page) => page.end ?? page.start));
  return { pages: new Set(pages.map(({ url }) => url)).size, seconds: (end - start) / 1_000 };
}

export const isRobots = (url: string): boolean => url.endsWith('/robots.txt');

/** Seconds that `work` takes. */
export async function measure(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

/** Prints a crawl's figures, with this process's own CPU time and peak memory, for the process that started it. */
export function reportSelf(crawl: { pages: number; seconds: number; bytes: number }): void {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  process.stdout.write(JSON.stringify({ ...crawl, cpuSeconds, peakMegabytes: maxRSS / 1024 }) + '\n');
}

export const rate = (figures: Figures): number => figures.pages / figures.seconds;

/** The least value that a share of all, such as 0.99, does not exceed; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** Of an even count the lower of the two in the middle; NaN of none. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The run of median rate. Throws when there is none. */
export function medianRun<F extends Figures>(runs: readonly F[]): F {
  const middle = median(runs.map(rate));
  const run = runs.find((one) => rate(one) === middle);
  if (run === undefined) throw new RangeError('no runs');
  return run;
}

/** Rows as columns of even width: the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, n) => Math.max(...rows.map((row) => (row[n] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('  ');
  return rows.map(line).join('\n');
}

/** What was spent when the first request came, and when all was over; of the web, meanwhile. */
export interface Spending {
  readonly start: Spent;
  readonly end: Spent;
  /** CPU seconds of the web meanwhile: beside the others, not among them. */
  readonly web: number;
}

const sum = (works: ReadonlyMap<string, number> | undefined): number =>
  [...(works?.values() ?? [])].reduce((all, one) => all + one, 0);

/** CPU seconds of all stages. */
export const cpuOf = (spent: Spent): number =>
  [...spent.values()].reduce((total, works) => total + sum(works), 0);

/** Rows of CPU time by stage: ms for each page from the first request on, of the whole, and seconds before it. */
export function budget({ start, end, web }: Spending, pages: number): string[][] {
  const perPage = (seconds: number): string => ((seconds / pages) * 1_000).toFixed(2);
  const crawl = cpuOf(end) - cpuOf(start);
  const row = (name: string, late: number, early: number): string[] => [
    ...[name, perPage(late - early), `${((100 * (late - early)) / crawl).toFixed(0)} %`, early.toFixed(1)],
  ];
  const rows = [...end]
    .sort((one, other) => sum(other[1]) - sum(one[1]))
    .flatMap(([stage, works]) => [
      row(stage, sum(works), sum(start.get(stage))),
      ...[...works]
        .filter(([work]) => work !== '')
        .sort((one, other) => other[1] - one[1])
        .map(([work, seconds]) => row(`  ${work}`, seconds, start.get(stage)?.get(work) ?? 0)),
    ]);
  return [
    ['CPU', 'ms a page', 'of all', 's before the first request'],
    ...rows,
    row('all', cpuOf(end), cpuOf(start)),
    ['(the web)', perPage(web), '', ''],
  ];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Slope of the least-squares line: what y grows by for each x. 0 where all x are the same. */
export function slope(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)];
  const spread = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return spread > 0 ? points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0) / spread : 0;
}
