/** The list of metrics is as Prometheus advises, and a process serves it on a port of its own (F42). */
import { request } from 'node:http';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { count, observe } from '../../engine/metrics/counters.ts';
import { metrics } from '../../engine/metrics/list.ts';
import type { Metrics } from '../../engine/metrics/metric.ts';
import { scrapeOf, serveMetrics, type Scrape } from '../../engine/metrics/scrape.ts';
import { reservePort, type ReservedPort } from '../../stack/ports.ts';
import { lint, promtool } from '../support/promtool.ts';
import { rawServer } from '../net/raw-server.ts';

function loggedLines(): { readonly lines: Record<string, unknown>[]; readonly log: pino.Logger } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): unknown => lines.push(JSON.parse(line) as Record<string, unknown>);
  return { lines, log: pino({ base: null, timestamp: false }, { write }) };
}

const lists: readonly Metrics<never>[] = [
  metrics.ofProcess,
  metrics.ofWorker,
  metrics.ofApi,
  metrics.ofInstance,
];
const all = lists.flatMap((list) => Object.entries(list));

describe('the list of metrics', () => {
  it.each(all)('%s has a name, a unit and words as Prometheus advises', (name, { type, help, labels }) => {
    expect(`orbweaver_${name}`).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    // Base units alone.
    expect(name).not.toMatch(/_(ms|millis|milliseconds|minutes|hours|days|kb|mb|percent)(_|$)/);
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
    expect(Object.keys(labels).length).toBeLessThan(2);
    for (const [label, values] of Object.entries(labels)) {
      expect(label).toMatch(/^[a-z]+$/);
      expect(new Set(values).size).toBe(values.length);
      for (const value of values) expect(value).toMatch(/^[a-z0-9][a-zA-Z0-9_-]*$/);
    }
  });

  it('tells each metric once', () => {
    const names = all.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

const sources = {
  version: () => '1.2.3',
  pools: () => [{ totalCount: 5, idleCount: 2, waitingCount: 1 }],
  freeBytes: () => Promise.resolve(7_000),
  dns: () => ({ hits: 3, misses: 2, stale: 1, failures: 0 }),
  outages: () => [{ dependency: 'dns' as const }],
};
const { log: noLog } = loggedLines();
const worker = (): Scrape => scrapeOf({ ...metrics.ofProcess, ...metrics.ofWorker }, sources, noLog);
const series = async (scrape: Scrape): Promise<ReadonlyMap<string, number>> =>
  new Map(
    [...(await scrape.read()).matchAll(/^([a-z_]+(?:\{[^}\n]+\})?) (\S+)$/gm)].map(
      ([, name = '', value]) => [name, Number(value)] as const,
    ),
  );

describe('a scrape', () => {
  it('has every series from the start, in a number that no count changes', async () => {
    const scrape = worker();
    const before = await series(scrape);
    const lists: Metrics<never> = { ...metrics.ofProcess, ...metrics.ofWorker };
    const rest = Object.entries(lists).filter(([name]) => name !== 'build_info');
    const expected = rest.flatMap(([name, metric]) => {
      const [values] = Object.values(metric.labels);
      if (metric.type === 'histogram') return [`orbweaver_${name}_count`];
      const [label = ''] = Object.keys(metric.labels);
      return values?.map((value) => `orbweaver_${name}{${label}="${value}"}`) ?? [`orbweaver_${name}`];
    });
    const own = (of: ReadonlyMap<string, number>): string[] =>
      [...of.keys()].filter((name) => name.startsWith('orbweaver_') && !/_(bucket|sum)\b/.test(name));
    expect(own(before).sort()).toEqual(['orbweaver_build_info{version="1.2.3"}', ...expected].sort());
    count('requests_total', { class: '4xx' });
    count('host_time_seconds_total', { cause: 'delay' }, 1.5);
    count('leases_lost_total', {});
    observe('commit_duration_seconds', 0.03);
    const after = await series(scrape);
    expect(own(after)).toEqual(own(before));
    const more = [...after].flatMap(([name, value]) => {
      const by = value - (before.get(name) ?? 0);
      return name.startsWith('orbweaver_') && by > 0 && !name.includes('_bucket') ? [[name, by]] : [];
    });
    expect(Object.fromEntries(more)).toEqual({
      'orbweaver_requests_total{class="4xx"}': 1,
      'orbweaver_host_time_seconds_total{cause="delay"}': 1.5,
      orbweaver_leases_lost_total: 1,
      orbweaver_commit_duration_seconds_count: 1,
      orbweaver_commit_duration_seconds_sum: 0.03,
    });
  });

  it('reads again what is not counted, and tells of the process itself', async () => {
    const scrape = worker();
    await scrape.read();
    expect(Object.fromEntries(await series(scrape))).toMatchObject({
      'orbweaver_dns_lookups_total{answer="hit"}': 3,
      'orbweaver_dns_lookups_total{answer="stale"}': 1,
      'orbweaver_postgres_connections{state="busy"}': 3,
      orbweaver_postgres_waiting: 1,
      orbweaver_disk_free_bytes: 7_000,
      'orbweaver_breaker_open{dependency="dns"}': 1,
      'orbweaver_breaker_open{dependency="postgres"}': 0,
      nodejs_eventloop_lag_seconds: expect.any(Number) as unknown,
      nodejs_heap_size_used_bytes: expect.any(Number) as unknown,
    });
  });
});

it('lacks what cannot be read, and nothing else; that is logged once and counted', async () => {
  const { lines, log } = loggedLines();
  let isLost = true;
  const lose = (): Promise<never> => Promise.reject(new Error('EIO: i/o error, statfs'));
  const scrape = scrapeOf(
    { ...metrics.ofProcess, ...metrics.ofWorker },
    { ...sources, freeBytes: () => (isLost ? lose() : sources.freeBytes()) },
    log,
    () => (isLost ? lose() : Promise.resolve('temporal_a_total 1\n')),
  );
  const failures = 'orbweaver_metrics_failures_total';
  const before = await series(worker());
  await scrape.read();
  const without = await series(scrape);
  for (const group of ['freeBytes', 'temporal'])
    expect(without.get(`${failures}{group="${group}"}`)).toBe(
      (before.get(`${failures}{group="${group}"}`) ?? NaN) + 2,
    );
  expect([...before.keys()].filter((name) => !without.has(name))).toEqual(['orbweaver_disk_free_bytes']);
  const told = (group: string, msg: string) => ({ group, msg });
  const lack = 'the metrics lack figures that cannot be read';
  expect(lines).toMatchObject([told('temporal', lack), told('freeBytes', lack)]);
  isLost = false;
  const whole = await series(scrape);
  expect([whole.get('orbweaver_disk_free_bytes'), whole.get('temporal_a_total')]).toEqual([7_000, 1]);
  expect(lines).toHaveLength(4);
});

it.skipIf(promtool === null)('has no fault that Prometheus finds (needs promtool)', async () => {
  const { ofProcess, ofWorker, ofApi } = metrics;
  const counted = scrapeOf({ ...ofProcess, ...ofWorker, ...ofApi }, sources, noLog);
  expect(lint(await counted.read())).toBe('');
});

describe('the port of a process', () => {
  const freePort = async (): Promise<ReservedPort> => {
    const reserved = await reservePort({ what: 'metrics', fixed: null, usual: null });
    onTestFinished(reserved.release);
    return reserved;
  };
  const scrape: Scrape = { contentType: 'text/plain; version=0.0.4', read: () => Promise.resolve('up 1\n') };

  it('is the first that is free, so that processes with one setting do not meet', async () => {
    const taken = await rawServer(() => undefined);
    const free = await freePort();
    const [first, second] = [loggedLines(), loggedLines()];
    const ports = [taken.port, free.port];
    const end = await serveMetrics(scrape, ports, first.log);
    onTestFinished(end);
    expect(first.lines).toMatchObject([{ port: free.port }]);
    await serveMetrics(scrape, ports, second.log);
    expect(second.lines).toMatchObject([
      { level: 40, ports, msg: 'no port for the metrics is free: they are not served' },
    ]);
    const answer = await fetch(`http://127.0.0.1:${String(free.port)}/metrics`);
    expect(answer.headers.get('content-type')).toBe(scrape.contentType);
    expect(await answer.text()).toBe('up 1\n');
    expect((await fetch(`http://localhost:${String(free.port)}/`)).status).toBe(404);
    end();
    await expect(fetch(`http://127.0.0.1:${String(free.port)}/metrics`)).rejects.toThrow('fetch failed');
  });

  it('says when the metrics cannot be read, and answers no page that has rebound its name', async () => {
    const free = await freePort();
    const { lines, log } = loggedLines();
    const broken: Scrape = { ...scrape, read: () => Promise.reject(new Error('Postgres is away')) };
    onTestFinished(await serveMetrics(broken, [free.port], log));
    const asked = { host: '127.0.0.1', port: free.port, path: '/metrics' };
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve) => {
        request({ ...asked, headers: { host } }, (answer) => {
          resolve(answer.resume().statusCode);
        }).end();
      });
    expect(await status('127.0.0.1')).toBe(503);
    expect(lines.at(-1)).toMatchObject({ level: 40, err: { message: 'Postgres is away' } });
    expect(await status('evil.example')).toBe(404);
  });

  it('is not served where none is set', async () => {
    const { lines, log } = loggedLines();
    await serveMetrics(scrape, [], log);
    expect(lines).toEqual([]);
  });
});
