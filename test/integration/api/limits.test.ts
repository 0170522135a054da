/** Quotas of tenants and rate limits (F36). */
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { keepQuotas } from '../../../api/watchers/quota-watch.ts';
import { countedSeries } from '../../../engine/metrics/counters.ts';
import type { SharedCounts } from '../../../api/way-in/rate-store.ts';
import type { CrawlView, CreatedCrawl } from '../../../contracts/http/crawls.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import type { QuotasAsked, TenantDetail } from '../../../contracts/tenancy.ts';
import { editTenant } from '../../../storage/tenancy/index.ts';
import { addLetter, addUrl, fromNow, setState, tables } from '../../support/database/index.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { stillClock } from '../../support/still-clock.ts';
import { noteTaker, serve, withServices, withServed } from './world.ts';

const services = withServices();
const { pool } = services;
const control = noteTaker(pool);
const api = withServed(pool, { control, anonymous: true });

interface Customer {
  readonly id: string;
  readonly key: string;
}

async function customer(quotas: QuotasAsked): Promise<Customer> {
  const id = await newTenant(pool, quotas);
  return { id, key: await newKey(pool, id, 'operator') };
}

const create = (key: string): Promise<Answer<CreatedCrawl & Problem>> =>
  ask(api.url, key, 'POST', '/v1/crawls', { seeds: 'https://a.example/' });

function expectSpent(answer: Answer<Problem>, status: number, quota: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.body).toMatchObject({ type: 'urn:orbweaver:problem:quota-spent', quota });
}

describe('quotas', () => {
  it('crawls at once: one more is refused until another is over, and headers tell what is left', async () => {
    const { key } = await customer({ crawlsAtOnce: 2 });
    const first = await create(key);
    expect(first.status).toBe(201);
    expect(first.headers.get('x-quota-crawls-at-once')).toBe('limit=2, remaining=1');
    expect(first.headers.get('x-quota-urls-total')).toBeNull();
    expect((await create(key)).headers.get('x-quota-crawls-at-once')).toBe('limit=2, remaining=0');
    const refused = await create(key);
    expectSpent(refused, 429, 'crawlsAtOnce');
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('x-quota-crawls-at-once')).toBe('limit=2, remaining=0');
    await setState(pool, first.body.id, 'finished', 'complete');
    expect((await create(key)).status).toBe(201);
  });

  it('crawls at once: one that is over is not set running again beyond it', async () => {
    const { key, id } = await customer({ crawlsAtOnce: 1, crawlsPerDay: 2 });
    const over = (await create(key)).body.id;
    const place = await addUrl(pool, over, 'https://a.example/dead', {
      state: 'failed',
      reason: 'timeout',
    });
    await addLetter(pool, over, place, 'timeout');
    await setState(pool, over, 'finished', 'complete');
    const open = (await create(key)).body.id;
    const redrive = () => ask<Problem>(api.url, key, 'POST', `/v1/crawls/${over}/dead-letters/redrive`, {});
    const edit = () => ask<Problem>(api.url, key, 'PATCH', `/v1/crawls/${over}`, { scope: 'any' });
    for (const answer of [await redrive(), await edit()]) {
      expectSpent(answer, 429, 'crawlsAtOnce');
      expect(answer.headers.get('retry-after')).toBe('60');
      expect(answer.headers.get('x-quota-crawls-at-once')).toBe('limit=1, remaining=0');
    }
    const rows = await tables.crawl.rows(pool, { tenant_id: id });
    expect(rows.map(({ state }) => state)).toEqual(['finished', 'seeding']);
    // It is none too many once the other one is over, and counts for no new one of the day.
    await setState(pool, open, 'finished', 'complete');
    expect((await redrive()).status).toBe(200);
    // What is open may go on.
    expect((await redrive()).status).toBe(200);
    expect((await edit()).status).toBe(200);
  });

  it('hold however many ask at the same time', async () => {
    const { key, id } = await customer({ crawlsAtOnce: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(9);
    expect(await tables.crawl.count(pool, { tenant_id: id })).toBe(3);
  });

  it('crawls a day: closed ones count, and Retry-After is the end of the day (UTC)', async () => {
    const { key, id } = await customer({ crawlsPerDay: 1 });
    const first = await create(key);
    await setState(pool, first.body.id, 'finished', 'complete');
    const left = (): number => (86_400_000 - (Date.now() % 86_400_000)) / 1_000;
    const before = left();
    const refused = await create(key);
    expectSpent(refused, 429, 'crawlsPerDay');
    expect(Number(refused.headers.get('retry-after'))).toBeLessThan(before + 5);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(left() - 5);
    await tables.crawl.change(pool, { tenant_id: id }, { created_at: fromNow(-24 * 3_600) });
    expect((await create(key)).status).toBe(201);
  });

  it.each(['urlsTotal', 'urlsPerDay', 'storedBytes'] as const)(
    '%s: crawls that run are paused once it is spent, new ones refused, and both go on when there is room',
    async (quota) => {
      const limit = quota === 'storedBytes' ? 1_000 : 3;
      const { key, id } = await customer({ [quota]: limit });
      const other = await customer({});
      const crawl = (await create(key)).body.id;
      const unlimited = (await create(other.key)).body.id;
      for (const each of [crawl, unlimited]) await setState(pool, each, 'running', null);
      const byHand = (await create(key)).body.id;
      await setState(pool, byHand, 'paused', 'lunch');
      const look = () => keepQuotas({ pool, control, log: pino({ level: 'silent' }) });
      const stateOf = async (each: string, by = key): Promise<unknown> => {
        const { body } = await ask<CrawlView>(api.url, by, 'GET', `/v1/crawls/${each}`);
        return [body.state, body.reason];
      };
      await look();
      expect(await stateOf(crawl)).toEqual(['running', null]);
      for (const page of ['1', '2', '3', '4']) {
        for (const each of [crawl, unlimited])
          await addUrl(pool, each, `https://a.example/${page}`, {
            state: 'done', status: 200, fetches: 1, bytes: 400, fetched_at: new Date(),
          }); // prettier-ignore
      }
      await look();
      const shares = (await countedSeries('quota_used_ratio').get()).values;
      const share = shares.find(({ labels }) => labels['quota'] === quota)?.value;
      expect(share).toBeCloseTo(quota === 'storedBytes' ? 1.6 : 4 / 3);
      expect(await stateOf(crawl)).toEqual(['paused', `quota:${quota}`]);
      expect(await stateOf(byHand)).toEqual(['paused', 'lunch']);
      expect(await stateOf(unlimited, other.key)).toEqual(['running', null]);
      const status = quota === 'urlsPerDay' ? 429 : 403;
      const refused = await create(key);
      expectSpent(refused, status, quota);
      expect(refused.headers.get(`x-quota-${quota.replace(/[A-Z]/g, '-$&').toLowerCase()}`)).toBe(
        `limit=${String(limit)}, remaining=0`,
      );
      expectSpent(await ask(api.url, key, 'POST', `/v1/crawls/${crawl}/resume`), status, quota);
      const { body } = await ask<TenantDetail>(api.url, key, 'GET', '/v1/tenant');
      expect(body.used[quota]).toBe(quota === 'storedBytes' ? 1_600 : 4);

      await editTenant(pool, id, null, { [quota]: null });
      await look();
      expect(await stateOf(crawl)).toEqual(['running', null]);
      expect(await stateOf(byHand)).toEqual(['paused', 'lunch']);
    },
  );

  it('URLs a day begin anew with the day', async () => {
    const { key, id } = await customer({ urlsPerDay: 2 });
    const crawl = (await create(key)).body.id;
    for (const page of ['1', '2', '3']) await addUrl(pool, crawl, `https://b.example/${page}`);
    expectSpent(await create(key), 429, 'urlsPerDay');
    await tables.tenantDay.change(pool, { tenant_id: id }, { day: fromNow(-24 * 3_600) });
    expect((await create(key)).status).toBe(201);
    expect(await tables.tenantDay.rows(pool, { tenant_id: id })).toMatchObject([{ urls_before: 3 }]);
  });
});

describe('requests a second', () => {
  const burst = async (urls: readonly string[], key: string, count: number): Promise<Answer<Problem>[]> =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        ask<Problem>(urls[index % urls.length] ?? '', key, 'GET', '/v1/crawls'),
      ),
    );
  const accepted = (answers: readonly Answer<unknown>[]): number =>
    answers.filter(({ status }) => status === 200).length;

  it('are the tenant’s, over all its keys; the answer says when to go on and what is left', async () => {
    const { id, key } = await customer({ requestsPerSecond: 5 });
    const second = await newKey(pool, id, 'reader');
    stillClock();
    const answers = await Promise.all([burst([api.url], key, 10), burst([api.url], second, 10)]);
    const all = answers.flat();
    expect(accepted(all)).toBe(5);
    const refused = all.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(refused?.headers.get('ratelimit')).toMatch(/"tenant"; r=0; t=[01]/);
    expect(refused?.headers.get('ratelimit-policy')).toMatch(/"tenant"; q=5; w=1/);
    expect(refused?.body).toMatchObject({
      type: 'urn:orbweaver:problem:rate-limited',
      quota: 'requestsPerSecond',
    });
    const other = await customer({});
    expect(accepted(await burst([api.url], other.key, 30))).toBe(30);
  });

  it('of made-up keys count by themselves: good keys of the address go on, met before or not', async () => {
    const own = await serve(pool, { control, requestsPer10s: 5, anonymous: true });
    const [met, first] = [await customer({}), await customer({})];
    const statusOf = async (key: string | null, path = '/v1/crawls'): Promise<number> =>
      (await ask(own.url, key, 'GET', path)).status;
    expect(await statusOf(met.key)).toBe(200);
    stillClock();
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push(await statusOf(`owk_${String(i).repeat(43)}`));
    expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429, 429, 429, 429]);
    // By the look at its keys that is left to the address, not by the limit of keys that begin alike.
    const looked = await ask<Problem>(own.url, `owk_${'z'.repeat(43)}`, 'GET', '/v1/crawls');
    expect([looked.status, looked.body.detail]).toEqual([
      429,
      'The key is not valid, and this address has tried too many keys.',
    ]);
    const answer = await ask(own.url, first.key, 'GET', '/v1/crawls');
    expect(answer.status).toBe(200);
    expect([answer.headers.get('retry-after'), answer.headers.get('ratelimit')]).toEqual([null, null]);
    expect(await statusOf(met.key)).toBe(200);
    expect(await statusOf(null, '/openapi.json')).toBe(200);
    await own.stop();
  });

  it(
    'of made-up keys that begin as a good one does not hold that up, once it was met',
    { tags: ['long'] },
    async () => {
      const own = await serve(pool, { control, requestsPer10s: 5, anonymous: true });
      const [{ key, id }, like] = [await customer({}), 'x'.repeat(30)];
      const statusOf = async (token: string) => (await ask(own.url, token, 'GET', '/v1/crawls')).status;
      expect(await statusOf(key)).toBe(200);
      const goOn = stillClock();
      const statuses: number[] = [];
      for (let i = 0; i < 8; i++) statuses.push(await statusOf(`${key.slice(0, 10)}${String(i)}${like}`));
      expect(statuses).toEqual([401, 401, 401, 401, 429, 429, 429, 429]);
      expect(await statusOf(key)).toBe(200);
      goOn();
      // It is known no longer than it is good.
      await tables.apiKey.change(pool, { tenant_id: id }, { revoked_at: fromNow() });
      await expect.poll(() => statusOf(key), { interval: 500 }).not.toBe(200);
      await own.stop();
    },
  );

  it('count for the address that a trusted proxy names, and for nobody whom another one names', async () => {
    const through = async (url: string, forwarded: string): Promise<number> =>
      (await fetch(`${url}/openapi.json`, { headers: { 'x-forwarded-for': forwarded } })).status;
    const behind = await serve(pool, {
      control,
      requestsPer10s: 2,
      anonymous: true,
      trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'],
    });
    const open = await serve(pool, { control, requestsPer10s: 2, anonymous: true });
    stillClock();
    const statuses: number[] = [];
    // The rightmost that is no proxy counts: what stands before it anybody can have written.
    for (const client of ['8.8.8.8', '9.9.9.9, 8.8.8.8', '1.2.3.4, 8.8.8.8, 10.0.0.1', '8.8.4.4'])
      statuses.push(await through(behind.url, client));
    expect(statuses).toEqual([200, 200, 429, 200]);
    statuses.length = 0;
    for (const client of ['8.8.8.8', '8.8.4.4', '1.1.1.1']) statuses.push(await through(open.url, client));
    expect(statuses).toEqual([200, 200, 429]);
    await behind.stop();
    await open.stop();
  });

  it('are none for readyz, which everybody may ask: it looks once for all who wait', async () => {
    let looks = 0;
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const ping = (): Promise<void> => {
      looks++;
      return answered;
    };
    // Heard of for an hour.
    const times = { started_at: fromNow(), seen_at: fromNow(3_600) };
    await tables.worker.add(pool, { id: randomUUID(), roles: ['control'], ...times });
    const own = await serve(pool, { control: { ...control, ping }, requestsPer10s: 5, anonymous: true });
    const asking = Array.from({ length: 50 }, () => ask(own.url, null, 'GET', '/readyz'));
    await expect.poll(() => looks).toBeGreaterThan(0);
    // As long as the first one waits, so do all behind it.
    await ask(own.url, null, 'GET', '/healthz');
    answer();
    const statuses = await Promise.all(asking.map(async (each) => (await each).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(looks).toBeLessThan(25);
    await own.stop();
  });

  it('go by address where no key is looked at, also with one that is known', async () => {
    const own = await serve(pool, { control, requestsPer10s: 5, anonymous: true });
    const { key } = await customer({});
    stillClock();
    const statuses = async (path: string): Promise<number[]> => {
      const answers: number[] = [];
      for (let i = 0; i < 4; i++) answers.push((await ask(own.url, key, 'GET', path)).status);
      return answers;
    };
    expect(await statuses('/v1/crawls')).toEqual([200, 200, 200, 200]);
    expect(await statuses('/openapi.json')).toEqual([200, 200, 200, 200]);
    expect(await statuses('/nowhere')).toEqual([404, 429, 429, 429]);
    expect(await statuses('/v1/crawls')).toEqual([200, 200, 200, 200]);
    await own.stop();
  });

  it('are counted over all processes in Redis, and by each for itself while it is away', async (context) => {
    const { redisUrl } = services.world;
    context.skip(redisUrl === null, 'there is no redis-server');
    const proxy = await startTcpProxy(Number(new URL(redisUrl ?? '').port));
    const redis = new Redis(`redis://${proxy.address}`, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: () => 50,
    });
    redis.on('error', () => undefined);
    await expect.poll(() => redis.status).toBe('ready');
    const windows = new Set<unknown>();
    /** Windows of a minute, so that one burst falls into one. */
    const patient = new Proxy(redis, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name);
        if (name !== 'eval') return value;
        return (script: string, keys: number, key: string, windowMs: number) => {
          windows.add(windowMs);
          return of.eval(script, keys, key, 60_000);
        };
      },
    });
    const instance = randomUUID();
    const sharedCounts: SharedCounts = {
      redis: patient,
      instance: () => Promise.resolve(instance),
      onError: () => undefined,
    };
    const serveShared = () => serve(pool, { control, anonymous: true, sharedCounts });
    const apis = [await serveShared(), await serveShared()];
    const urls = apis.map(({ url }) => url);
    const { key, id } = await customer({ requestsPerSecond: 6 });
    const name = `rate:${instance}:tenant:${id}`;
    const shared = await burst(urls, key, 40);
    expect(accepted(shared)).toBe(6);
    expect(await redis.get(name)).toBe('40');
    expect([...windows]).toContain(1_000);

    await proxy.close();
    stillClock();
    const alone = await burst(urls, key, 40);
    expect(accepted(alone)).toBe(12);
    redis.disconnect();
    for (const each of apis) await each.stop();
  });
});
