/**
 * `npm run bench -- api`: the HTTP API on a stack of its own, without TLS. Status reads against a bare node:http server
 * that answers the same bytes, in turns; crawls created one after another; seeds and pages streamed. Exits 1 when a
 * target is missed.
 */
import { readFileSync, writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { list, oneOf, script, whole } from '../test/support/script.ts';
import { startOwnStack } from '../test/support/start-stack.ts';
import { createPool } from '../storage/postgres/index.ts';
import { attack } from './api-attacks.ts';
import { storePages } from './api-rows.ts';
import { median, quantile, table } from './figures.ts';
import { load, startBare, type Load } from './load.ts';
import { usageOf } from './meter.ts';
import { scratch } from './scratch.ts';

const names = ['crawl', 'ledger', 'creation', 'seeds', 'export', 'attacks'] as const;

const values = script('bench -- api', 'The HTTP API on a stack of its own.')
  .option('--only <names>', `measured instead of all: ${names.join(', ')}`, list(oneOf(names)))
  .option('--rounds <count>', 'turns of status reads', whole(), 5)
  .option('--seconds <count>', 'that a turn takes', whole(), 3)
  .option('--connections <count>', 'that read at once', whole(), 16)
  .option('--crawls <count>', 'that are created', whole(), 200)
  .option('--seeds <count>', 'that are streamed', whole(), 100_000)
  .option('--pages <count>', 'that are exported', whole(), 100_000)
  .option('--attack-seconds <count>', 'that each attack takes', whole(), 8)
  .parse()
  .opts<{
    only?: readonly (typeof names)[number][];
    rounds: number;
    seconds: number;
    connections: number;
    crawls: number;
    seeds: number;
    pages: number;
    attackSeconds: number;
  }>();

/** Requests a second of the API's processor time; milliseconds; seconds; rows a second. */
const targets = { reads: 2_000, p99: 50, seeds: 10, rows: 20_000, times: 10, health: 500 };
/** Until code is compiled and connections are there: crawls, and seconds of reads. */
const warmUps = 10;
const warmUpSeconds = 6;

/** Milliseconds until what a crawl that was cancelled has left to do is done, and the stack idle again. */
const settleMs = 250;

const own = await startOwnStack();
const folder = scratch('bench-api');
const rows: string[][] = [];
const note = (what: string, reached: string, more: string, target: string, met: boolean): void => {
  rows.push([what, reached, more, target, met ? 'met' : 'MISSED']);
  process.stderr.write(`${what}: ${reached} ${more}\n`);
  if (!met) process.exitCode = 1;
};

const apiUrl = own.stack.apiUrl ?? '';
const authorization = `Bearer ${own.key}`;
const apiPid = parseInt(readFileSync(join(own.dataDir, 'run', 'api.pid'), 'utf8'), 10);
const pool = createPool(own.stack.postgresUrl, 2, () => undefined);

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(apiUrl + path, {
    method,
    headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${String(response.status)} ${await response.text()}`);
  return (await response.json()) as T;
}

interface Crawl {
  readonly id: string;
  readonly state: string;
  readonly endedAt: string | null;
}
/** Its only host is at an address for documentation, which is never asked. */
const newCrawl = { seeds: ['http://192.0.2.1/'], delaySeconds: 600 };
async function stateIs(id: string, is: (crawl: Crawl) => boolean): Promise<void> {
  for (let tries = 0; !is(await ask<Crawl>('GET', `/v1/crawls/${id}`)); tries++) {
    if (tries > 600) throw new Error(`crawl ${id} is not where it should be after a minute`);
    await sleep(100);
  }
}
const cancelled = async (id: string): Promise<void> => {
  await stateIs(id, ({ state }) => state !== 'seeding');
  if ((await ask<Crawl>('GET', `/v1/crawls/${id}`)).endedAt === null)
    await ask('POST', `/v1/crawls/${id}/cancel`, {});
  await stateIs(id, ({ endedAt }) => endedAt !== null);
};

try {
  const crawl = await storePages(pool, values.pages);
  const measures: Readonly<Record<(typeof names)[number], () => Promise<void>>> = {
    crawl: () => statusReads('GET /v1/crawls/{id}', `/v1/crawls/${crawl}`),
    ledger: () => statusReads('GET /v1/crawls/{id}/ledger', `/v1/crawls/${crawl}/ledger`),
    creation,
    seeds: streamedSeeds,
    export: async () => {
      await exported(crawl, 'jsonl');
      await exported(crawl, 'csv');
    },
    attacks: () => attacks(crawl),
  };
  for (const name of values.only ?? names) await measures[name]();
} finally {
  await pool.end();
  await own.close();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(`${table([['', 'reached', '', 'target', ''], ...rows])}\n`);

/** What one tenant's costly requests do to another tenant and to /healthz. */
async function attacks(large: string): Promise<void> {
  const field = { apiUrl, key: own.key, large, ask, seconds: values.attackSeconds };
  for (const { name, idle, busy, health, answers } of await attack(field)) {
    note(
      name,
      `p95 ${idle.toFixed(0)} → ${busy.toFixed(0)} ms`,
      `healthz ${health.toFixed(0)} ms; ` +
        [...answers].map(([status, count]) => `${String(count)} × ${String(status)}`).join(', '),
      `≤ ${String(targets.times)} ×, < ${String(targets.health)} ms`,
      busy <= targets.times * idle && health < targets.health,
    );
  }
}

/** In turns with the yardstick, so that whatever else the machine does falls on both. */
async function statusReads(what: string, path: string): Promise<void> {
  const sample = await fetch(apiUrl + path, { headers: { authorization } });
  const file = join(folder, 'answer.json');
  const kept = [...sample.headers].filter(([name]) => !/^(date|connection|keep-alive)$/.test(name));
  writeFileSync(file, JSON.stringify({ headers: Object.fromEntries(kept), body: await sample.text() }));
  const bare = await startBare(file);
  try {
    const { connections, seconds } = values;
    const targetsOf = {
      api: { url: apiUrl, path, headers: { authorization }, pid: apiPid },
      bare: { url: bare.url, path, headers: { authorization }, pid: bare.process.pid ?? 0 },
    };
    for (const target of Object.values(targetsOf)) await load(target, connections, warmUpSeconds);
    const pairs: { api: Load; bare: Load }[] = [];
    for (let round = 0; round < values.rounds; round++) {
      pairs.push({
        api: await load(targetsOf.api, connections, seconds),
        bare: await load(targetsOf.bare, connections, seconds),
      });
    }
    const perCore = median(pairs.map(({ api }) => api.perCoreSecond));
    const wall = median(pairs.map(({ api }) => api.perSecond));
    const ratio = median(
      pairs.map(({ api, bare: yardstick }) => api.perCoreSecond / yardstick.perCoreSecond),
    );
    note(
      what,
      `${perCore.toFixed(0)}/s of a core`,
      `${ratio.toFixed(3)} of bare; ${wall.toFixed(0)}/s by the clock`,
      `≥ ${String(targets.reads)}/s`,
      perCore >= targets.reads,
    );
  } finally {
    bare.process.kill();
  }
}

/**
 * One at a time, each cancelled and over before the next one is made. In between a single insert, whose tail is that of
 * the machine.
 */
async function creation(): Promise<void> {
  const times: number[] = [];
  const inserts: number[] = [];
  await pool.query('create table yardstick (at timestamptz)');
  for (let made = 0; made < warmUps + values.crawls; made++) {
    const before = performance.now();
    await pool.query('insert into yardstick values (now())');
    const start = performance.now();
    const { id } = await ask<Crawl>('POST', '/v1/crawls', newCrawl);
    if (made >= warmUps) {
      inserts.push(start - before);
      times.push(performance.now() - start);
    }
    await cancelled(id);
    await sleep(settleMs);
  }
  const p99 = quantile(times, 0.99);
  note(
    'POST /v1/crawls',
    `p99 ${p99.toFixed(1)} ms`,
    `p50 ${quantile(times, 0.5).toFixed(1)} ms; one insert: p50 ${quantile(inserts, 0.5).toFixed(1)}, ` +
      `p99 ${quantile(inserts, 0.99).toFixed(1)} ms`,
    `≤ ${String(targets.p99)} ms`,
    p99 <= targets.p99,
  );
}

/** Highest resident memory of the API beyond what it had, in MB, while work is done. */
async function growth<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly megabytes: number }> {
  const before = usageOf(apiPid).megabytes;
  let highest = before;
  const timer = setInterval(() => (highest = Math.max(highest, usageOf(apiPid).megabytes)), 20);
  try {
    return { result: await work(), megabytes: highest - before };
  } finally {
    clearInterval(timer);
  }
}

/** Into a crawl that is paused: stored, and not yet admitted. */
async function streamedSeeds(): Promise<void> {
  const { id } = await ask<Crawl>('POST', '/v1/crawls', newCrawl);
  await stateIs(id, ({ state }) => state === 'running');
  await ask('POST', `/v1/crawls/${id}/pause`, {});
  const { seeds } = values;
  const lines = Array.from(
    { length: seeds },
    (_, n) => `http://192.0.2.${String(n % 250)}/section/page-${String(n)}\n`,
  );
  const start = performance.now();
  const { result, megabytes } = await growth(async () => {
    const response = await fetch(`${apiUrl}/v1/crawls/${id}/seeds`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'text/uri-list' },
      body: ReadableStream.from<Uint8Array>(chunksOf(lines)),
      duplex: 'half',
    });
    return (await response.json()) as { readonly accepted: number };
  });
  const seconds = (performance.now() - start) / 1_000;
  if (result.accepted !== seeds)
    throw new Error(`of ${String(seeds)} seeds, ${String(result.accepted)} were taken`);
  note(
    `${seeds.toLocaleString('en-US')} seeds in one request`,
    `${seconds.toFixed(2)} s`,
    `${megabytes.toFixed(0)} MB more`,
    `≤ ${String(targets.seeds)} s`,
    seconds <= targets.seeds,
  );
  await cancelled(id);
}

function* chunksOf(lines: readonly string[]): Generator<Uint8Array> {
  for (let at = 0; at < lines.length; at += 1_000) yield Buffer.from(lines.slice(at, at + 1_000).join(''));
}

async function exported(crawl: string, format: 'jsonl' | 'csv'): Promise<void> {
  const start = performance.now();
  const { result, megabytes } = await growth(async () => {
    const response = await fetch(`${apiUrl}/v1/crawls/${crawl}/export?format=${format}`, {
      headers: { authorization },
    });
    let lines = format === 'csv' ? -1 : 0;
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines++;
    }
    return lines;
  });
  const seconds = (performance.now() - start) / 1_000;
  if (result !== values.pages) throw new Error(`${String(result)} rows were exported`);
  const perSecond = result / seconds;
  note(
    `export of ${result.toLocaleString('en-US')} pages as ${format}`,
    `${perSecond.toFixed(0)} rows/s`,
    `${megabytes.toFixed(0)} MB more`,
    `≥ ${targets.rows.toLocaleString('en-US')} rows/s`,
    perSecond >= targets.rows,
  );
}
