/**
 * `npm run bench -- unrendered`: what rendering costs a crawl none of whose pages needs it. The same seeded web of pages from
 * servers is crawled without a browser (ORBWEAVER_BROWSER=off: no process renders) and with one, in pairs, each other pair the
 * other way round. The median of the pairs' quotients counts: of the CPU time of all processes from the first request on, of
 * the time of the crawl, and of transactions and bytes of the log in Postgres.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningStack } from '../stack/info.ts';
import { createPool, type Pool } from '../storage/postgres/index.ts';
import { script, whole } from '../test/support/script.ts';
import { spawnWeb } from '../test/web/spawn.ts';
import { contestants } from './contestants.ts';
import { cpuOf, median, table } from './figures.ts';
import { scratch } from './scratch.ts';

const { pairs, pages: each } = script(
  'bench -- unrendered',
  'What rendering costs a crawl without pages that need it.',
)
  .option('--pairs <count>', 'of crawls; the median counts', whole(), 7)
  .option('--pages <count>', 'of each of the forty hosts', whole(), 250)
  .parse()
  .opts<{ pairs: number; pages: number }>();

const measures = ['ms of CPU a page', 'ms a page', 'transactions a page', 'bytes of WAL a page'] as const;
type Figures = readonly number[];

interface Work {
  readonly transactions: number;
  readonly bytes: number;
}

/** What Postgres has done so far. */
async function workOf(pool: Pool): Promise<Work> {
  const { rows } = await pool.query<Work>(
    `select xact_commit::float8 as transactions, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as bytes
       from pg_stat_database where datname = current_database()`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres does not know its database');
  return row;
}

/** Looks at Postgres for as long as the stack of the folder runs. Resolves with what it did from the first request on. */
async function watch(data: string, hasBegun: () => Promise<boolean>, isOver: () => boolean): Promise<Work> {
  let pool: Pool | null = null;
  let first: Work | null = null;
  let last: Work | null = null;
  try {
    while (!isOver()) {
      await sleep(200);
      const info = findRunningStack(data);
      if (info === null || !(await hasBegun())) continue;
      pool ??= createPool(info.postgresUrl, 1, () => undefined);
      // It ends with the crawl: what was seen last counts.
      last = await workOf(pool).catch(() => last);
      first ??= last;
    }
  } finally {
    await pool?.end();
  }
  if (first === null || last === null)
    throw new Error('the crawl was over before Postgres could be looked at');
  return { transactions: last.transactions - first.transactions, bytes: last.bytes - first.bytes };
}

const folder = scratch('unrendered');
const web = await spawnWeb({
  ...{ seed: 1, hosts: 40, pages: each, bytes: 24_000, links: 40, latencyMs: 0, warm: true },
});
const { run: crawl } = contestants.orbweaver();

/** @param browser as ORBWEAVER_BROWSER has it; empty: one that is found */
async function measured(browser: string, seedsFile: string): Promise<Figures> {
  // The stack that the crawl starts takes its settings from this environment.
  process.env['ORBWEAVER_BROWSER'] = browser;
  const task = { seedsFile, folder: scratch('crawl', folder), asked: () => web.count() };
  const before = await web.count();
  let isOver = false;
  const watched = watch(
    join(task.folder, 'data'),
    async () => (await web.count()) > before,
    () => isOver,
  );
  const { pages, seconds, spending } = await crawl(task, []).finally(() => {
    isOver = true;
  });
  const { transactions, bytes } = await watched;
  rmSync(task.folder, { recursive: true, force: true });
  const cpuSeconds = cpuOf(spending.end) - cpuOf(spending.start);
  return [cpuSeconds * 1_000, seconds * 1_000, transactions, bytes].map((all) => all / pages);
}

const [without, withOne]: [Figures[], Figures[]] = [[], []];
try {
  const seedsFile = join(folder, 'seeds.txt');
  writeFileSync(seedsFile, web.seeds.join('\n') + '\n');
  for (let pair = 0; pair < pairs; pair++) {
    const both = [
      { as: 'without', list: without, browser: 'off' },
      { as: 'with', list: withOne, browser: '' },
    ];
    for (const { as, list, browser } of pair % 2 === 0 ? both : both.toReversed()) {
      const figures = await measured(browser, seedsFile);
      list.push(figures);
      process.stderr.write(
        `pair ${String(pair + 1)}, ${as} a browser: ${figures.map((one) => one.toFixed(2)).join(', ')}\n`,
      );
    }
  }
} finally {
  await web.stop();
  rmSync(folder, { recursive: true, force: true });
}

const rows = measures.map((measure, nth) => {
  const of = (list: readonly Figures[]): number[] => list.map((figures) => figures[nth] ?? NaN);
  const quotients = of(withOne).map((value, pair) => value / (of(without)[pair] ?? NaN));
  return [
    ...[measure, median(of(without)).toFixed(2), median(of(withOne)).toFixed(2)],
    ...[median(quotients), Math.min(...quotients), Math.max(...quotients)].map(
      (one) => `${one.toFixed(3)} ×`,
    ),
  ];
});
process.stdout.write(`${table([['', 'without', 'with', 'median', 'least', 'most'], ...rows])}\n`);
