/**
 * `npm run bench -- chain`: sites that are chains, each page of which names the next alone, so that every step waits for the
 * whole way from an answer to its links. One such host, then twenty at once, with no delay; the web is in this process, and
 * measures from one request of a host to its next. Scrapy goes the same way beside, where it can be had. Exits 1 where a
 * target is missed.
 */
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { list, oneOf, script, whole } from '../test/support/script.ts';
import { crawlWithOrbweaver, crawlWithScrapy, type Task } from './contestants.ts';
import { median, quantile, table, type Used } from './figures.ts';
import { installScrapy } from './install.ts';
import { scratch } from './scratch.ts';

/** Of Orbweaver: milliseconds of a step in the middle with one chain, at most; pages a second with many, at least. */
const targets = { stepMs: 25, rate: 400 };

const names = ['orbweaver', 'scrapy'] as const;
const {
  pages,
  chains: counts,
  only = names,
} = script('bench -- chain', 'From an answer to the links in it: chains of pages, alone and many at once.')
  .option('--pages <count>', 'of each chain', whole(2), 150)
  .option('--chains <counts>', 'at once, one case after the other', list(whole()), [1, 20])
  .option('--only <names>', `measured instead of all: ${names.join(', ')}`, list(oneOf(names)))
  .parse()
  .opts<{ pages: number; chains: readonly number[]; only?: readonly (typeof names)[number][] }>();

/** A chain on a port of its own; `at` says when each of its pages was asked for, robots.txt apart. */
interface Chain {
  readonly server: Server;
  readonly seed: string;
  readonly at: number[];
}

async function startChain(): Promise<Chain> {
  const at: number[] = [];
  const server = createServer((request, response) => {
    const { url = '/' } = request;
    const nth = url === '/' ? 1 : Number(url.slice(1));
    if (!Number.isInteger(nth)) return void response.writeHead(404).end();
    at.push(performance.now());
    const link = nth < pages ? `<a href="/${String(nth + 1)}">next</a>` : '';
    const text = `Page ${String(nth)} of the chain at ${request.headers.host ?? ''}.`;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<html><title>${String(nth)}</title><body><p>${text.repeat(20)}</p>${link}</body></html>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, seed: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`, at };
}

type Crawl = (task: Task) => Promise<Pick<Used, 'cpuSeconds'>>;

interface Steps {
  readonly p50: number;
  readonly p95: number;
  /** Pages a second, from the first to the last. */
  readonly rate: number;
  /** Of all processes of the crawler, their start included. */
  readonly cpuMs: number;
}

async function follow(count: number, crawl: Crawl): Promise<Steps> {
  const chains = await Promise.all(Array.from({ length: count }, startChain));
  const folder = scratch('chain');
  let used: Pick<Used, 'cpuSeconds'>;
  try {
    const seedsFile = join(folder, 'seeds.txt');
    writeFileSync(seedsFile, chains.map(({ seed }) => `${seed}\n`).join(''));
    used = await crawl({ seedsFile, folder });
  } finally {
    for (const { server } of chains) server.close().closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  }
  const short = chains.filter(({ at }) => at.length !== pages);
  if (short.length > 0) throw new Error(`${String(short.length)} chains were not asked for each page once`);
  const steps = chains.flatMap(({ at }) => at.slice(1).map((time, n) => time - (at[n] ?? time)));
  const all = chains.flatMap(({ at }) => at);
  const seconds = (Math.max(...all) - Math.min(...all)) / 1_000;
  return {
    p50: median(steps),
    p95: quantile(steps, 0.95),
    rate: all.length / seconds,
    cpuMs: (1_000 * used.cpuSeconds) / all.length,
  };
}

const crawls = new Map<string, Crawl>();
if (only.includes('orbweaver'))
  crawls.set('orbweaver', async (task) => (await crawlWithOrbweaver(task, ['--delay', '0'])).ended.usage);
const scrapy = only.includes('scrapy') ? installScrapy() : null;
if (scrapy !== null && 'missing' in scrapy) process.stderr.write(`scrapy is skipped: ${scrapy.missing}\n`);
else if (scrapy !== null) crawls.set('scrapy', (task) => crawlWithScrapy(scrapy.path, task, {}));

const rows: string[][] = [['chains', 'crawler', 'p50 ms a step', 'p95 ms', 'pages/s', 'CPU ms a page']];
let missed = false;
for (const count of counts) {
  for (const [name, crawl] of crawls) {
    const { p50, p95, rate, cpuMs } = await follow(count, crawl);
    rows.push([String(count), name, p50.toFixed(1), p95.toFixed(1), rate.toFixed(1), cpuMs.toFixed(1)]);
    process.stderr.write(`${String(count)} chains, ${name}: ${p50.toFixed(1)} ms a step\n`);
    if (name === 'orbweaver') missed ||= count === 1 ? p50 > targets.stepMs : rate < targets.rate;
  }
}
process.stdout.write(`${table(rows)}\n`);
process.stdout.write(
  `targets: one chain at ${String(targets.stepMs)} ms a step, many at ${String(targets.rate)} pages/s: ${missed ? 'MISSED' : 'met'}\n`,
);
process.exitCode = missed ? 1 : 0;
