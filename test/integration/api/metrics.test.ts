/** `GET /metrics` (F35), read as Prometheus reads it. */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { addLetter, addUrl, fromNow, hostParked, setState, tables } from '../../support/database/index.ts';
import { instanceSources } from '../../../engine/metrics/instance.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { noteLoads, notePoliteness, noteWorker } from '../../../storage/instance/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { lint, promtool } from '../../support/promtool.ts';
import { stillClock } from '../../support/still-clock.ts';
import { addPage, newCrawl, noteTaker, serve, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi({ anonymous: true });
let reader: string;

beforeAll(async () => {
  reader = await newKey(pool, '1', 'reader', { scopes: ['metrics'] });
});

/** Series by name and labels. @throws for a line that is not of the text format */
const seriesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const parts = /^([a-z_:][\w:]*(?:\{(?:[a-z_]+="[^"\\\n]*",?)+\})?) (-?[\d.e+-]+|NaN|\+Inf)$/i.exec(
          line,
        );
        if (parts === null) throw new Error(`not a line of the format: ${line}`);
        return [parts[1] ?? '', Number(parts[2]?.replace('+Inf', 'Infinity'))];
      }),
  );

it('tells what the instance holds, in a fixed number of series', async () => {
  const running = await newRunningCrawl(pool);
  await setState(pool, await newCrawl(pool), 'paused', 'lunch');
  const content = { title: 'T', text: 'one two', links: [] };
  await addPage(pool, running, 'https://a.example/1', content, { bytes: 1_000 });
  await addUrl(pool, running, 'https://a.example/2');
  await addUrl(pool, running, 'https://b.example/3', {
    state: 'done',
    status: 200,
    stage: 2,
    fetches: 1,
    fetched_at: new Date(Date.now() - 60_000),
  });
  // The turn of its host came an hour ago, and shard 0 has been without a scheduler for as long.
  await tables.queue.change(pool, { crawl_id: running }, { known: true, turn_at: fromNow(-3_600) });
  await tables.shard.add(pool, { id: 0, looked_at: fromNow(-3_600) });
  await hostParked(pool, 'https://b.example');
  for (const [letterClass, key] of [['timeout', '01'], ['tls', '02'], ['tls', '03']] as const)
    await addLetter(pool, running, { hostId: 1, key: Buffer.from(key, 'hex') }, letterClass); // prettier-ignore

  const [one, other] = [randomUUID(), randomUUID()];
  for (const id of [one, other]) await noteWorker(pool, id, ['fetch'], null);
  await noteLoads(pool, one, JSON.stringify([{ stage: 'store', used: 9, capacity: 10 }]));
  await noteLoads(pool, other, JSON.stringify([{ stage: 'store', used: 12, capacity: 100 }]));
  for (const [gap, tooSoon] of [[1.5, 0], [null, 2], [0.75, 1], [3, 0]] as const) await notePoliteness(pool, gap, tooSoon); // prettier-ignore
  // Both are at work for the whole test, and both scrapes come at about the same time.
  await tables.worker.change(pool, { id: [one, other] }, { seen_at: fromNow(3_600) });
  stillClock();

  const answer = await ask<string>(api.url, reader, 'GET', '/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const series = seriesOf(answer.body);
  const expected = {
    'orbweaver_build_info{version="0.0.0"}': 1,
    'orbweaver_crawls{state="running"}': 1,
    'orbweaver_crawls{state="paused"}': 1,
    'orbweaver_crawls{state="failed"}': 0,
    'orbweaver_urls{state="queued"}': 1,
    'orbweaver_urls{state="done"}': 2,
    orbweaver_urls_discovered_total: 3,
    orbweaver_pages_total: 2,
    orbweaver_fetches_total: 2,
    orbweaver_bytes_total: 1_000,
    orbweaver_bodies_pending: 1,
    'orbweaver_hosts{state="parked"}': 1,
    'orbweaver_hosts{state="idle"}': 1,
    'orbweaver_dead_letters{class="timeout"}': 1,
    'orbweaver_dead_letters{class="poison"}': 0,
    'orbweaver_dead_letters{class="tls"}': 2,
    orbweaver_oldest_expired_lease_seconds: 0,
    'orbweaver_shard_queued_urls{shard="0"}': 1,
    'orbweaver_workers{role="fetch"}': 2,
    'orbweaver_workers{role="render"}': 0,
    // Three URLs at two hosts, all as their counters say.
    orbweaver_recounted_urls: 3,
    orbweaver_ledger_imbalance_urls: 0,
    orbweaver_webhook_lag_seconds: 0,
    orbweaver_recrawl_lag_seconds: 0,
    orbweaver_api_key_expiry_seconds: Infinity,
    orbweaver_complaints_total: 0,
    orbweaver_week_smallest_gap_seconds: 0.75,
    orbweaver_requests_too_soon_total: 3,
    'orbweaver_quota_used_ratio{quota="urlsTotal"}': 0,
    // Of the worker where the stage is fullest.
    'orbweaver_stage_used{stage="store"}': 9,
    'orbweaver_stage_capacity{stage="store"}': 10,
  };
  expect(Object.fromEntries(series)).toMatchObject(expected);
  for (const name of ['oldest_turn', 'shard_silent'])
    expect(series.get(`orbweaver_${name}_seconds{shard="0"}`)).toBeGreaterThan(3_599);
  expect(series.get('orbweaver_oldest_body_seconds')).toBeGreaterThan(59);
  expect(series.get('process_resident_memory_bytes')).toBeGreaterThan(0);

  expect(promtool === null ? '' : lint(answer.body)).toBe('');

  // Counted once for all who scrape at about the same time, however much there is by then.
  await newCrawl(pool);
  const again = await ask<string>(api.url, reader, 'GET', '/metrics');
  expect(seriesOf(again.body).get('orbweaver_crawls{state="seeding"}')).toBe(0);
  expect([...seriesOf(again.body).keys()].filter((name) => name.startsWith('orbweaver'))).toEqual(
    [...series.keys()].filter((name) => name.startsWith('orbweaver')),
  );
});

it('tells by how many URLs the counters of a host are wrong', async () => {
  const crawl = await newRunningCrawl(pool);
  await addUrl(pool, crawl, 'https://c.example/1');
  await tables.queue.change(pool, { crawl_id: crawl }, { queued: 4 });
  const recount = await instanceSources(pool).recount();
  await tables.queue.change(pool, { crawl_id: crawl }, { queued: 1 });
  expect(recount.wrong).toBe(3);
  expect((await instanceSources(pool).recount()).wrong).toBe(0);
});

it('is the instance’s, not any tenant’s', async () => {
  const others = await newKey(pool, await newTenant(pool), 'admin');
  expect((await ask(api.url, others, 'GET', '/metrics')).status).toBe(403);
  expect((await ask(api.url, null, 'GET', '/metrics')).status).toBe(401);
});

/** The pool, some of whose statements fail. */
const failing = (why: (statement: string) => Error | null): Pool =>
  new Proxy(pool, {
    get: (all, name) => {
      const value: unknown = Reflect.get(all, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const [query] = args as [{ readonly name?: string }];
        const error = name === 'query' ? why(query.name ?? '') : null;
        return error === null ? (Reflect.apply(value, all, args) as unknown) : Promise.reject(error);
      };
    },
  });

it('says when Postgres is away, and measures again when it is back', async () => {
  let away = true;
  const flaky = failing((name) =>
    away && name.startsWith('measure-') ? new Error('Connection terminated unexpectedly') : null,
  );
  const other = await serve(flaky, { control: noteTaker(pool), anonymous: true });
  try {
    expect((await ask(other.url, reader, 'GET', '/metrics')).status).toBe(503);
    away = false;
    expect((await ask(other.url, reader, 'GET', '/metrics')).status).toBe(200);
  } finally {
    await other.stop();
  }
});

it('lacks what a statement that fails would have told, and nothing else', async () => {
  const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
  const other = await serve(
    failing((name) => (name === 'measure-lags' || name === 'sample-shares' ? slow : null)),
    { control: noteTaker(pool), anonymous: true },
  );
  try {
    const { status, body } = await ask<string>(other.url, reader, 'GET', '/metrics');
    expect(status).toBe(200);
    const series = seriesOf(body);
    for (const group of ['lags', 'hosts', 'letters', 'queues', 'recount'])
      expect(series.get(`orbweaver_metrics_failures_total{group="${group}"}`), group).toBe(1);
    expect(series.get('orbweaver_metrics_failures_total{group="measures"}')).toBe(0);
    expect(series.has('orbweaver_webhook_lag_seconds')).toBe(false);
    // Two groups are in it.
    expect(series.has('orbweaver_ledger_imbalance_urls')).toBe(false);
    expect(series.get('orbweaver_complaints_total')).toBe(0);
    expect(series.has('orbweaver_crawls{state="running"}')).toBe(true);
  } finally {
    await other.stop();
  }
});
