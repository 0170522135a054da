/**
 * What an operator sets for a host (F05, F18), kept by real slices against a real site.
 * @module-tag long
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { HostSettingsChange } from '../../../contracts/hosts.ts';
import type { OpeningTime } from '../../../domain/windows.ts';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import { setHost } from '../../../storage/hosts/index.ts';
import { refeedHosts, takeTurns } from '../../../storage/feeding/index.ts';
import { cutVisit, takeLease } from '../../../storage/leases/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { poolAt } from '../storage/set-clock-pool.ts';
import {
  changeHost,
  fromNow,
  hostIdOf,
  hostRow,
  leaseEnded,
  robotsRead,
} from '../../support/database/index.ts';
import { closedGate } from '../../support/gate.ts';
import { noting, type HostRow, withFetching } from './fetching.ts';
import { gaps, page, redirect, robots, slowly, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const paths = Array.from({ length: 20 }, (_, at) => `/${String(at).padStart(2, '0')}`);
const noRobots = { '/robots.txt': robots('') };

interface Visited {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}

const hosted = async (
  settings: HostSettingsChange,
  answers: Readonly<Record<string, Answer>> = {},
): Promise<Visited> => {
  const site = await startSite({ ...noRobots, ...answers });
  const host = await fetching.host(site.origin);
  await setHost(pool, site.origin, 0, settings);
  const crawl = await fetching.crawl({ delaySeconds: 0.05 });
  await fetching.queue(crawl, host, ...paths);
  return { site, host, crawl };
};
const least = (values: readonly number[]): number => Math.min(...values);
const rowOf = async ({ hostId }: HostRow): Promise<{ used: number; reserved: number; closedMs: number }> => {
  const row = await hostRow(pool, hostId);
  const closedMs = row.closed_until === -Infinity ? 0 : row.closed_until_ms;
  return { used: row.requests_used, reserved: row.requests_reserved, closedMs };
};
/** A pool whose answers to a statement come so many milliseconds later. */
const slowTo = (name: string, ms: number): Pool =>
  new Proxy(pool, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== 'function') return value;
      return async (...asked: unknown[]): Promise<unknown> => {
        const answer: unknown = await Reflect.apply(value, target, asked);
        const [query] = asked as [{ readonly name?: string }?];
        if (query?.name === name) await sleep(ms);
        return answer;
      };
    },
  });
const crash = (host: HostRow) => leaseEnded(pool, host.hostId);

const weekdays: OpeningTime = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '06:00' };
const nights: HostSettingsChange = {
  windows: { timeZone: 'Europe/Berlin', open: [{ ...weekdays, days: [...weekdays.days] }] },
};

describe('windows', () => {
  it('outside them nothing is sent, and the wait until the next is the workflow’s', async () => {
    const { site, host, crawl } = await hosted(nights);
    // Saturday, an hour after closing: Monday's opening is 63 hours away.
    const pool = poolAt(fetching.pool, '2026-01-24T06:00:00Z');
    const result = await fetching.role({}, { pool }).fetchSlice(host);
    expect(result).toMatchObject({
      fetched: 0,
      next: 'wait',
      closedBy: 'windows',
      queued: 20,
      lastError: null,
    });
    expect(result.waitMs / 3_600_000).toBeCloseTo(63, 2);
    expect(site.paths()).toEqual([]);
    expect(await expectExact(fetching.pool, crawl)).toMatchObject({ queued: 20, leased: 0 });
    // Nobody asks for it again before that.
    expect((await rowOf(host)).closedMs / 3_600_000).toBeCloseTo(63, 2);
    await changeHost(fetching.pool, host.hostId, { fed_at: fromNow(-24 * 3_600) });
    expect((await takeTurns(fetching.pool, 0, 1_000, newFront(1))).fed).toEqual([]);
    expect(await refeedHosts(fetching.pool, 0)).toEqual([]);
  });

  it('that close in the middle of a slice end it: nothing leaves after that', async () => {
    const { site, host, crawl } = await hosted({ ...nights, delaySeconds: 0.3 });
    const { fetcher, departed } = noting(fetching.dependencies().fetcher);
    const startedAt = performance.now();
    // Summer time: 06:00 in Berlin is 04:00. All pages take six seconds.
    const pool = poolAt(fetching.pool, '2026-07-21T03:59:55.000Z');
    const result = await fetching.role({}, { pool, fetcher }).fetchSlice(host);
    expect(result).toMatchObject({ next: 'wait', closedBy: 'windows' });
    expect(result.waitMs / 3_600_000).toBeCloseTo(16, 2);
    expect(site.hits.length).toBeGreaterThanOrEqual(2);
    expect((departed.at(-1) ?? Infinity) - startedAt).toBeLessThan(5_000);
    expect(await expectExact(fetching.pool, crawl)).toMatchObject({ done: site.hits.length - 1, leased: 0 });
  });

  it('that close while a request waits for its time keep it back', async () => {
    const { site, host } = await hosted({ ...nights, delaySeconds: 8 });
    const pool = poolAt(fetching.pool, '2026-07-21T03:59:56.000Z');
    expect(await fetching.role({}, { pool }).fetchSlice(host)).toMatchObject({ fetched: 0, next: 'wait' });
    expect(site.paths()).toEqual(['/robots.txt']);
  });

  it('let the host go on when they open', async () => {
    const { site, host } = await hosted(nights);
    const early = poolAt(pool, '2026-01-26T20:59:50.000Z');
    const { waitMs } = await fetching.role({}, { pool: early }).fetchSlice(host);
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(10_000);
    expect(site.paths()).toEqual([]);
    const open = poolAt(pool, '2026-01-26T21:00:00Z');
    expect(await fetching.role({}, { pool: open }).fetchSlice(host)).toMatchObject({
      fetched: 20,
      closedBy: null,
    });
  });

  it('hold for one request of another host’s slice too: a robots.txt that leads here waits', async () => {
    const other = await startSite({ '/shared.txt': robots('') }, '127.0.0.2');
    await setHost(fetching.pool, other.origin, 0, nights);
    const { site, host } = await hosted({}, { '/robots.txt': redirect(`${other.origin}/shared.txt`) });
    const pool = poolAt(fetching.pool, '2026-01-24T06:00:00Z');
    const result = await fetching.role({}, { pool }).fetchSlice(host);
    expect(result).toMatchObject({ fetched: 0, next: 'wait', lastError: null });
    expect(result.waitMs / 3_600_000).toBeCloseTo(63, 2);
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(other.paths()).toEqual([]);
  });
});

describe('the quota of a day', () => {
  it('counts every request, robots.txt included, over all crawls and workers, and ends the day', async () => {
    const { site, host, crawl } = await hosted({ quotaPerDay: 8 });
    const second = await fetching.crawl();
    await fetching.queue(second, host, '/x', '/y');
    const at = '2026-03-14T13:00:00Z';
    const [one, two] = [{}, {}].map(() =>
      fetching.role({ sliceMs: 120 }, { pool: poolAt(fetching.pool, at) }),
    );
    let last;
    for (let slice = 0; slice < 12; slice++) last = await (slice % 2 === 0 ? one : two)?.fetchSlice(host);
    expect(site.hits).toHaveLength(8);
    expect(site.paths()[0]).toBe('/robots.txt');
    expect(last).toMatchObject({ fetched: 0, next: 'wait', closedBy: 'quota', queued: 15 });
    expect((last?.waitMs ?? 0) / 3_600_000).toBeCloseTo(11, 2);
    expect(await rowOf(host)).toMatchObject({ used: 8, reserved: 0 });
    await expectExact(fetching.pool, crawl);
    // The next day is another one.
    const pool = poolAt(fetching.pool, '2026-03-15T00:00:00Z');
    expect(await fetching.role({}, { pool }).fetchSlice(host)).toMatchObject({
      next: 'wait',
      closedBy: 'quota',
    });
    expect(site.hits).toHaveLength(16);
  });

  it('ends with the day of the host’s time zone', async () => {
    const { host } = await hosted({
      quotaPerDay: 1,
      windows: { timeZone: 'Asia/Tokyo', open: [{ days: ['sun', 'mon'], from: '01:00', to: '24:00' }] },
    });
    // Sunday, 20:00 in Tokyo: the day has four hours left, and then the windows keep it closed for one more.
    const pool = poolAt(fetching.pool, '2026-03-15T11:00:00Z');
    const role = fetching.role({}, { pool });
    const { waitMs, closedBy } = await role.fetchSlice(host);
    expect(waitMs / 3_600_000).toBeCloseTo(5, 2);
    expect(closedBy).toBe('quota');
  });

  it('is never undercounted: what a crashed slice may have sent counts', async () => {
    // A page that is answered late keeps the slice at work meanwhile.
    const late = closedGate();
    const { site, host } = await hosted({ quotaPerDay: 30 }, { '/03': late.behind(page('late')) });
    const controller = new AbortController();
    await fetching.role({ sliceMs: 0 }).fetchSlice(host);
    expect(await rowOf(host)).toEqual({ used: 1, reserved: 0, closedMs: 0 });
    const running = fetching.role({ sliceMs: 60_000 }).fetchSlice(host, controller.signal);
    await expect.poll(() => site.paths()).toContain('/03');
    const { reserved } = await rowOf(host);
    expect(reserved).toBeGreaterThanOrEqual(20);
    expect(1 + reserved).toBeLessThanOrEqual(30);
    await crash(host);
    const [taken] = await takeLease(pool, host.hostId, 60_000);
    expect(taken).toMatchObject({ requests_used: 1, requests_lost: reserved });
    controller.abort();
    late.open();
    await running;
    // Twice lost is twice counted.
    await crash(host);
    const [again] = await takeLease(pool, host.hostId, 60_000);
    expect(again?.requests_lost).toBe(reserved);
    await crash(host);
    await fetching.role({ leaseMs: 400 }).fetchSlice(host);
    expect((await rowOf(host)).used).toBeGreaterThanOrEqual(1 + reserved);
    expect((await rowOf(host)).used).toBeLessThanOrEqual(30);
  });

  it('is 100,000 where nobody set one, and counted for all', async () => {
    const { site, host } = await hosted({});
    await fetching.role().fetchSlice(host);
    expect(site.hits).toHaveLength(21);
    expect(await rowOf(host)).toEqual({ used: 21, reserved: 0, closedMs: 0 });
    await changeHost(pool, host.hostId, { requests_used: 99_999 });
    await fetching.queue(await fetching.crawl(), host, '/a', '/b', '/c');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({
      fetched: 1,
      next: 'wait',
      closedBy: 'quota',
    });
    expect(site.hits).toHaveLength(22);
  });

  it('counts the one request of another host’s slice', async () => {
    const other = await startSite({ '/shared.txt': robots('') }, '127.0.0.2');
    await setHost(pool, other.origin, 0, { quotaPerDay: 1 });
    const otherHost = { hostId: await hostIdOf(pool, other.origin), origin: other.origin };
    const { site, host } = await hosted({}, { '/robots.txt': redirect(`${other.origin}/shared.txt`) });
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 20 });
    expect(other.hits).toHaveLength(1);
    expect(await rowOf(otherHost)).toMatchObject({ used: 1, reserved: 0 });
    expect(site.hits).toHaveLength(21);
  });
});

describe('a factor', () => {
  it('makes the delay at least that many times what the last answer took, across slices too', async () => {
    const slow = slowly(600, page('slow'));
    const { site, host } = await hosted({ delayFactor: 3 }, { '/00': slow, '/01': slow });
    await robotsRead(pool, host.hostId);
    const role = fetching.role({ sliceMs: 2_000 });
    await role.fetchSlice(host);
    expect(site.paths()).toEqual(['/00']);
    const next = fetching.role({ sliceMs: 60_000 });
    const first = await next.fetchSlice(host);
    expect(first.delayMs).toBeLessThan(1_800);
    const [second = 0, third = 0, ...rest] = gaps(site);
    // From the head of a response that took 600 ms, three times as long again.
    expect(second).toBeGreaterThanOrEqual(2_400);
    expect(third).toBeGreaterThanOrEqual(2_400);
    expect(Math.max(...rest.slice(2))).toBeLessThan(2_400);
  });

  it('of a crawl binds its own turns', async () => {
    const slow = slowly(150, page('slow'));
    const site = await startSite({ ...noRobots, '/polite/a': slow, '/a': slow, '/b': slow });
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delayFactor: 8 }), host, '/polite/a', '/polite/b');
    await fetching.queue(await fetching.crawl(), host, '/a', '/b');
    await fetching.role().fetchSlice(host);
    expect(site.paths().slice(1).toSorted()).toEqual(['/a', '/b', '/polite/a', '/polite/b']);
    expect(site.paths().indexOf('/a')).toBeLessThan(site.paths().indexOf('/polite/b'));
    expect(gaps(site, (path) => path.startsWith('/polite/'))[0]).toBeGreaterThanOrEqual(1_350);
  });
});

describe('several requests in flight, for a host one owns', () => {
  const slow = slowly(400, page('slow'));
  const slowPages = Object.fromEntries(paths.map((path) => [path, slow]));

  it('are as many as the operator allows, and start a delay apart', async () => {
    // Each four of the twenty are answered once all four have come.
    const waiting: (() => void)[] = [];
    const inFours: Answer = (...request) => {
      waiting.push(() => {
        slow(...request);
      });
      if (waiting.length === 4) for (const answer of waiting.splice(0)) answer();
    };
    const answers = Object.fromEntries(paths.map((path) => [path, inFours]));
    const { site, host, crawl } = await hosted({ concurrency: 4, delaySeconds: 0.06 }, answers);
    const { fetcher, departed } = noting(fetching.dependencies().fetcher);
    const role = fetching.role({}, { fetcher });
    expect(await role.fetchSlice(host)).toMatchObject({
      fetched: 20,
      queued: 0,
    });
    expect(site.together()).toBe(4);
    expect(departed).toHaveLength(21);
    expect(least(departed.slice(1).map((at, n) => at - (departed[n] ?? 0)))).toBeGreaterThanOrEqual(60);
    expect(site.hits[0]).toMatchObject({ path: '/robots.txt' });
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 20, leased: 0 });
  });

  it('never are where nobody set it', async () => {
    const { site, host } = await hosted({ delaySeconds: 0 }, slowPages);
    await fetching.role({ sliceMs: 1_500 }).fetchSlice(host);
    expect(site.together()).toBe(1);
  });

  it('all end, and are committed, when one of them finds the host in trouble; that counts once', async () => {
    const busy: Answer = status(503, { 'retry-after': '600' });
    const { site, host, crawl } = await hosted(
      { concurrency: 4, delaySeconds: 0.05 },
      { ...slowPages, '/01': busy, '/02': slowly(200, busy) },
    );
    const result = await fetching.role({ sliceMs: 30_000 }).fetchSlice(host);
    expect(result).toMatchObject({ next: 'trouble' });
    expect(result.waitMs).toBeGreaterThan(590_000);
    expect(site.hits.length).toBeLessThanOrEqual(5);
    expect(await hostRow(pool, host.hostId)).toMatchObject({ failures: 1, slowdown: 1 });
    expect(await expectExact(pool, crawl)).toMatchObject({ leased: 0 });
    expect((await fetching.urls(crawl, site.origin))['/00']).toMatchObject({ state: 'done' });
  });

  it('all stay away once one of them is asked for a pause, those that wait for their time too', async () => {
    const { site, host } = await hosted(
      { concurrency: 4, delaySeconds: 2 },
      { '/00': slowly(300, status(429, { 'retry-after': '600' })) },
    );
    await robotsRead(pool, host.hostId);
    const result = await fetching.role({ sliceMs: 30_000 }).fetchSlice(host);
    expect(result).toMatchObject({ next: 'trouble' });
    expect(site.paths()).toEqual(['/00']);
  });

  it('are one after a crash, so that a URL that crashes workers is known', async () => {
    const { site, host } = await hosted({ concurrency: 4, delaySeconds: 0 }, slowPages);
    await takeLease(pool, host.hostId, 600_000);
    await crash(host);
    await fetching.role({ sliceMs: 5_000 }).fetchSlice(host);
    expect(site.hits.length).toBeGreaterThan(2);
    expect(site.together()).toBe(1);
  });
});

describe('a change', () => {
  it('holds a second later in a slice that is under way', async () => {
    // A page that is answered once the change is there, however late that is.
    const late = closedGate();
    const { site, host } = await hosted({ delaySeconds: 0.2 }, { '/01': late.behind(page('late')) });
    const running = fetching.role({ sliceMs: 60_000 }).fetchSlice(host);
    await expect.poll(() => site.hits.length).toBe(3);
    await setHost(pool, host.origin, 0, { delaySeconds: 1.2 });
    late.open();
    expect(await running).toMatchObject({ next: 'more' });
    const before = site.hits.length;
    expect(before).toBeLessThan(10);
    expect(await fetching.role({ sliceMs: 3_000 }).fetchSlice(host)).toMatchObject({ delayMs: 1_200 });
    expect(least(gaps(site).slice(before - 1))).toBeGreaterThanOrEqual(1_200);
  });

  it('is not needed to cut a visit, which keeps what it has learnt', async () => {
    const { site, host } = await hosted({ delaySeconds: 50 });
    const running = fetching.role({ sliceMs: 60_000 }).fetchSlice(host);
    await expect.poll(() => site.hits.length).toBe(1);
    await cutVisit(pool, host.hostId);
    const cutAt = performance.now();
    expect(await running).toMatchObject({ fetched: 0, next: 'more' });
    expect(performance.now() - cutAt).toBeLessThan(10_000);
    // The pace is still owed, which a change of settings would have had judged anew.
    expect((await hostRow(pool, host.hostId)).not_before_ms).toBeGreaterThan(8_000);
    await cutVisit(pool, host.hostId);
    expect((await hostRow(pool, host.hostId)).lease_token).toBeNull();
  });

  it.each([
    ['', 0],
    [', also if Postgres is slow when the visit ends', 200],
  ])('ends the wait for a slot while one is waited for%s', async (_, slowMs) => {
    const { site, host } = await hosted({ delaySeconds: 20 });
    const parts = { pool: slowTo('note-turns', slowMs) };
    const running = fetching.role({ sliceMs: 60_000 }, parts).fetchSlice(host);
    await expect.poll(() => site.hits.length).toBe(1);
    await setHost(pool, host.origin, 0, { delaySeconds: 0.1 });
    const changedAt = performance.now();
    await running;
    await fetching.role({ sliceMs: 60_000 }).fetchSlice(host);
    expect(site.hits).toHaveLength(21);
    expect((site.hits[1]?.at ?? Infinity) - changedAt).toBeLessThan(15_000);
  });

  it('of the delay counts from the last request, whatever the wait was before', async () => {
    const { site, host } = await hosted({ delaySeconds: 600 });
    const role = fetching.role({ sliceMs: 500 });
    expect(await role.fetchSlice(host)).toMatchObject({ next: 'wait' });
    expect(await role.fetchSlice(host)).toMatchObject({ next: 'wait', fetched: 0 });
    await setHost(pool, host.origin, 0, { delaySeconds: 0.4 });
    await fetching.role({ sliceMs: 1_000 }).fetchSlice(host);
    expect(gaps(site)[0]).toBeGreaterThanOrEqual(400);
    expect(gaps(site)[0]).toBeLessThan(60_000);
    // Longer again: from the last one.
    await setHost(pool, host.origin, 0, { delaySeconds: 600 });
    const before = site.hits.length;
    const { next, waitMs } = await role.fetchSlice(host);
    expect(next).toBe('wait');
    expect(waitMs).toBeGreaterThan(590_000);
    expect(site.hits).toHaveLength(before);
  });

  it('forgets no Retry-After', async () => {
    const { site, host } = await hosted(
      { delaySeconds: 0 },
      { '/00': status(503, { 'retry-after': '600' }) },
    );
    const role = fetching.role();
    await role.fetchSlice(host);
    await setHost(pool, host.origin, 0, { delaySeconds: 0, quotaPerDay: 50 });
    const { waitMs } = await role.fetchSlice(host);
    expect(waitMs).toBeGreaterThan(590_000);
    expect(site.paths()).toEqual(['/robots.txt', '/00']);
  });
});
