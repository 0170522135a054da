/**
 * `npm run bench -- scale`: what a URL costs when a crawl has 10^4, 10^5 and 10^6 of them at 10^4 hosts, or more.
 * At each size the same work is done and measured, without the network: admission, lease, commit, a scheduler's tick, a
 * status read, an export. Tells what grows, and how many bytes of Postgres a URL takes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { script, whole } from '../test/support/script.ts';
import { startOwnStack } from '../test/support/start-stack.ts';
import { median, table } from './figures.ts';
import { meter } from './meter.ts';
import { hostCount, type LeasedPlace, openScaleCrawl, sliceUrls } from './scale-crawl.ts';

const command = script('bench -- scale', 'What a URL costs as a crawl gets larger: 10^n URLs at 10^4 hosts.')
  .option('--from <n>', 'of the smallest size', whole(4, 8), 4)
  .option('--to <n>', 'of the largest size', whole(4, 8), 6)
  .parse();
const { from, to } = command.opts<{ from: number; to: number }>();
if (to < from) command.error('error: --from must not be above --to.');

/** Growth from the smallest size to the largest, and bytes of Postgres for each queued URL. Printed, not judged. */
const targets = { growth: 1.2, bytes: 600 };
/** How often all is measured at each size: the medians count. */
const rounds = 3;
/** Hosts whose URLs are admitted, leased and committed in a round. */
const sampledHosts = 400;
const [ticks, fedEachTick, statusReads, exportedRows] = [40, 25, 40, 4_000] as const;
/** Milliseconds after which the pages feed of an open crawl shows what was committed. */
const feedLagMs = 1_500;

interface Cost {
  /** Milliseconds for each, by the clock and of processors. */
  readonly wall: number;
  readonly node: number;
  readonly postgres: number;
}
type Costs = ReadonlyMap<string, Cost>;
interface Size {
  readonly urls: number;
  readonly costs: Costs;
  /** MB of the process: resident, and in use once garbage is gone. */
  readonly resident: number;
  readonly inUse: number;
  readonly bytes: ReadonlyMap<string, number>;
}

const own = await startOwnStack({ workers: [], api: false, services: 'postgres' });
const postgresPid = parseInt(readFileSync(join(own.dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
const crawl = await openScaleCrawl(own.stack.postgresUrl);

/** CPU seconds of Postgres with all its processes so far; none of a session that has ended counts. */
function postgresSeconds(): number {
  const now = meter(postgresPid);
  now.stop();
  return now.read().cpuSeconds;
}

setFlagsFromString('--expose-gc');
/** Garbage of what came before counts for nobody. */
const collect = runInNewContext('gc') as () => void;

/** @param work answers how many were done */
async function costOf(work: () => Promise<number>): Promise<Cost> {
  collect();
  const before = { node: process.cpuUsage(), postgres: postgresSeconds() };
  const start = performance.now();
  const done = await work();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(before.node);
  const postgres = (postgresSeconds() - before.postgres) * 1_000;
  return { wall: wall / done, node: (user + system) / 1_000 / done, postgres: postgres / done };
}

async function repeated(times: number, work: (n: number) => Promise<unknown>): Promise<number> {
  for (let n = 0; n < times; n++) await work(n);
  return times;
}

/** The same work in each round, at hosts that no other round has worked. */
async function work(round: number): Promise<Costs> {
  const costs = new Map<string, Cost>();
  const first = round * sampledHosts;
  costs.set(
    'URL admitted',
    await costOf(async () => {
      await crawl.admitAt(first, sampledHosts, sliceUrls);
      return sampledHosts * sliceUrls;
    }),
  );
  const hosts = await crawl.hosts(first, sampledHosts);
  const tokens = new Map<number, number>();
  for (const host of hosts) tokens.set(host, await crawl.takeLease(host));
  const places: LeasedPlace[] = [];
  costs.set(
    `lease of ${String(sliceUrls)} URLs`,
    await costOf(() =>
      repeated(hosts.length, async (n) => {
        const host = hosts[n] ?? 0;
        places.push(...(await crawl.lease(host, tokens.get(host) ?? 0)));
      }),
    ),
  );
  costs.set(
    'result committed',
    await costOf(async () => {
      const waiting = [...places];
      // As many as a busy process has under way.
      const lanes = Array.from({ length: 40 }, async () => {
        for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) await crawl.commit(place);
      });
      await Promise.all(lanes);
      return places.length;
    }),
  );
  await crawl.store(places);
  costs.set(
    'tick of the scheduler',
    await costOf(() => repeated(ticks, (n) => crawl.tick((n + 1) * fedEachTick))),
  );
  await crawl.giveBack();
  costs.set('status read', await costOf(() => repeated(statusReads, () => crawl.status())));
  await sleep(feedLagMs);
  costs.set('row exported', await costOf(() => crawl.exportRows(exportedRows)));
  return costs;
}

const medians = (measured: readonly Costs[]): Costs =>
  new Map(
    [...(measured[0]?.keys() ?? [])].map((name) => {
      const of = (part: keyof Cost): number => median(measured.map((each) => each.get(name)?.[part] ?? NaN));
      return [name, { wall: of('wall'), node: of('node'), postgres: of('postgres') }];
    }),
  );

async function bytesOf(): Promise<Map<string, number>> {
  const { rows } = await crawl.pool.query<{ name: string; bytes: string }>(
    `select t.relname as name, pg_table_size(t.oid) as bytes from pg_class t where t.relname in ('url', 'host_queue', 'host')
     union all
     select i.relname, pg_relation_size(i.oid) from pg_class i join pg_index x on x.indexrelid = i.oid
      where x.indrelid in ('url'::regclass, 'host_queue'::regclass, 'host'::regclass)
     order by 2 desc`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

const sizes: Size[] = [];
let pageBytes = NaN;
try {
  for (let exponent = from; exponent <= to; exponent++) {
    const urls = 10 ** exponent;
    const start = performance.now();
    const more = urls - crawl.admitted();
    await crawl.fill(more);
    await crawl.known();
    await crawl.pool.query('vacuum (analyze) url, host_queue, host');
    const bytes = await bytesOf();
    const seconds = (performance.now() - start) / 1_000;
    process.stderr.write(`10^${String(exponent)}: ${String(more)} URLs in ${seconds.toFixed(1)} s\n`);
    await crawl.pool.query('checkpoint');
    const measured: Costs[] = [];
    for (let n = 0; n < rounds; n++) measured.push(await work((exponent - from) * rounds + n));
    collect();
    const { rss, heapUsed, external } = process.memoryUsage();
    const [resident, inUse] = [rss / 1024 ** 2, (heapUsed + external) / 1024 ** 2];
    sizes.push({ urls, costs: medians(measured), resident, inUse, bytes });
  }
  const { rows } = await crawl.pool.query<{ bytes: string }>(
    `select pg_total_relation_size('page') as bytes`,
  );
  pageBytes = Number(rows[0]?.bytes) / (sizes.length * rounds * sampledHosts * sliceUrls);
} finally {
  await crawl.close();
  await own.close();
}

const growth = (of: readonly number[]): string => {
  const factor = (of.at(-1) ?? NaN) / (of[0] ?? NaN);
  return `${factor.toFixed(2)} ×${factor > targets.growth ? ' !' : ''}`;
};
const digits = (value: number): string => value.toFixed(value < 10 ? 3 : 1);
const names = [...(sizes[0]?.costs.keys() ?? [])];
const costRows = names.flatMap((name) => {
  const of = sizes.map(({ costs }) => costs.get(name) ?? { wall: NaN, node: NaN, postgres: NaN });
  const row = (what: string, cost: readonly number[]): string[] => [
    `${name}: ${what}`,
    ...cost.map(digits),
    growth(cost),
  ];
  return [
    row('ms by the clock', of.map(({ wall }) => wall)),
    row('ms of CPU, Node', of.map(({ node }) => node)),
    row('ms of CPU, Postgres', of.map(({ postgres }) => postgres)),
  ]; // prettier-ignore
});
const [last] = sizes.slice(-1);
/** Indexes of rows that there are few of take nothing. */
const relations = [...(last?.bytes ?? [])]
  .filter(([, bytes]) => bytes > (last?.urls ?? 0) / 2)
  .map(([name]) => name);
const perUrl = (name: string): number[] => sizes.map(({ bytes, urls }) => (bytes.get(name) ?? 0) / urls);
const sum = sizes.map(
  ({ bytes, urls }) =>
    [...bytes].filter(([name]) => name.startsWith('url')).reduce((all, [, each]) => all + each, 0) / urls,
);
const memory = (what: string, of: readonly number[]): string[] => [
  `${what} of the process, MB`,
  ...of.map((each) => each.toFixed(0)),
  growth(of),
];
process.stdout.write(
  [
    table([
      [`${String(hostCount)} hosts`, ...sizes.map(({ urls }) => `${String(urls)} URLs`), 'growth'],
      ...costRows,
      memory('resident memory', sizes.map(({ resident }) => resident)),
      memory('memory in use', sizes.map(({ inUse }) => inUse)),
    ]),
    '',
    table([
      ['bytes of Postgres for each URL', ...sizes.map(({ urls }) => `${String(urls)} URLs`)],
      ...relations.map((name) => [name, ...perUrl(name).map((each) => each.toFixed(0))]),
      ['table url with its indexes', ...sum.map((each) => each.toFixed(0))],
    ]),
    `table page with its indexes, for each page read: ${pageBytes.toFixed(0)}`,
    '',
    `Targets: growth ≤ ${String(targets.growth)} × (beyond it: !), ≤ ${String(targets.bytes)} bytes for each queued URL.`,
    '',
  ].join('\n'),
); // prettier-ignore
