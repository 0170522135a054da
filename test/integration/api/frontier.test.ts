/** The frontier for other fetchers on real Postgres (F37): who gets what, and when. */
import { describe, expect, it } from 'vitest';
import type { HostSettingsChange } from '../../../contracts/hosts.ts';
import { weekDays } from '../../../domain/windows.ts';
import { optOut } from '../../../storage/opt-outs/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { expectExact } from '../storage/frontier.ts';
import {
  changeCrawl,
  changeHost,
  fromNow,
  hadSettings,
  hostRow,
  like,
  setState,
  tables,
  type HostColumns,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import {
  ack,
  api,
  expire,
  frontierApi,
  leaseOf,
  offer,
  queued,
  rested,
  pool,
  turnMs,
  urlRow,
  wanted,
  type Batch,
} from './fetching-from.ts';

frontierApi();

describe('lease_batch', () => {
  it('hands out one URL of a host, under a lease that keeps everybody else away, and says when to stop', async () => {
    const { origin, crawlId, hostId } = await queued();
    const other = await queued();
    const before = Date.now();
    const { status, body } = await leaseOf();
    const passed = Date.now() - before;
    expect(status).toBe(200);
    const mine = body.urls.filter((each) => [origin, other.origin].includes(each.origin));
    expect(mine.map(({ url }) => url).sort()).toEqual([`${origin}/a`, `${other.origin}/a`].sort());
    expect(mine.find((each) => each.origin === origin)).toMatchObject({ host: new URL(origin).hostname, crawl_id: crawlId, depth: 0, user_agent: 'Orbweaver/0 (test)' }); // prettier-ignore
    expect(body.expires_in_seconds).toBe(20);
    const told = Date.parse(body.expires_at ?? '');
    expect(told - before).toBeGreaterThanOrEqual(20_000);
    expect(told - before).toBeLessThanOrEqual(20_000 + passed);
    // A margin more, so that a request which ends at the last moment is respected.
    const { lease_until: held } = await hostRow(pool, hostId);
    expect(Number(held)).toBeGreaterThan(told);
    expect(await takeLease(pool, String(hostId), 1_000)).toEqual([]);
    expect((await leaseOf({ crawl_id: crawlId })).body).toEqual({ lease_id: null, urls: [], expires_at: null, expires_in_seconds: null }); // prettier-ignore
    await expectExact(pool, Number(crawlId));
  });

  it('has a copy of robots.txt for a day and the delay of its host', async () => {
    const { crawlId, hostId } = await queued();
    await hadSettings(pool, hostId, { delaySeconds: 7_200 });
    const read = (hoursAgo: number) =>
      tables.robots.change(pool, { host_id: hostId }, { fetched_at: fromNow(-3_600 * hoursAgo) });
    await changeHost(pool, hostId, { base_delay_ms: 7_200_000 });
    await read(27);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    await read(25);
    // Its answer said that it may be kept for ten minutes.
    await tables.robots.change(pool, { host_id: hostId }, { kept_ms: 600_000 });
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    await read(2);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toHaveLength(1);
  });

  it('leaves alone what may not be asked now', async () => {
    const changed = (columns: HostColumns) => (hostId: number) => changeHost(pool, hostId, columns);
    const setAlong = (settings: HostSettingsChange, columns?: HostColumns) => async (hostId: number) => {
      await hadSettings(pool, hostId, settings);
      if (columns !== undefined) await changeHost(pool, hostId, columns);
    };
    const inThreeDays = weekDays[(new Date().getUTCDay() + 2) % 7] ?? 'mon';
    const closed: Record<string, (hostId: number, origin: string, crawlId: string) => Promise<unknown>> = {
      parked: changed({ parked_at: fromNow() }),
      'a pace not over': changed({ not_before: fromNow(60) }),
      'a pace not over by its last answer': setAlong({ delaySeconds: 60 }, { asked_at: fromNow() }),
      'closed by its window': setAlong({
        windows: { timeZone: 'UTC', open: [{ days: [inThreeDays], from: '10:00', to: '11:00' }] },
      }),
      'quota spent': setAlong({ quotaPerDay: 0 }),
      'a guest waits': changed({ guest_until: fromNow(60) }),
      'leased by a worker': (hostId) => takeLease(pool, String(hostId), 60_000),
      'no robots.txt': (hostId) => tables.robots.remove(pool, { host_id: hostId }),
      'an old robots.txt': (hostId) =>
        tables.robots.change(pool, { host_id: hostId }, { fetched_at: fromNow(-25 * 3_600) }),
      'opted out': (_hostId, origin) => optOut(pool, new URL(origin).hostname, null),
      'a crawl that is paused': (_hostId, _origin, crawlId) => setState(pool, crawlId, 'paused', null),
      'a page limit reached': async (_hostId, _origin, crawlId) => {
        const { config } = await tables.crawl.row(pool, { id: crawlId });
        await changeCrawl(pool, crawlId, { config: { ...config, maxPages: 0 } });
      },
      'a lease not returned': setAlong({ delaySeconds: 60 }, { lease_token: 1, lease_until: fromNow(-1) }),
      'a sitemap first': (hostId) =>
        tables.url.change(pool, { host_id: hostId, url: like('%/c') }, { kind: 1, priority: 9 }),
    };
    for (const [what, close] of Object.entries(closed)) {
      const { origin, crawlId, hostId } = await queued();
      await close(hostId, origin, crawlId);
      const { body } = await leaseOf({ crawl_id: crawlId });
      expect({ what, urls: body.urls }).toEqual({ what, urls: [] });
      await expectExact(pool, Number(crawlId));
    }
  });

  it('waits a full delay where the lease before was not returned', async () => {
    const { crawlId, hostId } = await queued({ config: { delaySeconds: 40 } });
    const first = await leaseOf({ crawl_id: crawlId });
    expect(first.body.urls).toHaveLength(1);
    await expire(hostId);
    await changeHost(pool, hostId, { lent: false });
    const before = Date.now();
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    const { not_before: next } = await hostRow(pool, hostId);
    expect(Number(next) - before).toBeGreaterThan(990);
    expect(await turnMs(crawlId)).toBeGreaterThan(38_000);
    // A fetcher that never reports does not get turn after turn.
    expect(await hostRow(pool, hostId)).toMatchObject({ lent: true, lend_until: null });
    await rested(hostId);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    await tables.queue.change(pool, { crawl_id: crawlId }, { asked_at: null, own_turn_at: fromNow() });
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toHaveLength(1);
    await expectExact(pool, Number(crawlId));
  });

  it('excludes what robots.txt forbids to the agent of the crawl, and to ours', async () => {
    const { origin, crawlId } = await queued({
      paths: ['/private/a', '/private/b', '/open'],
      config: { userAgent: 'Special/1' },
      robots: 'User-agent: special\nDisallow: /private/a\n\nUser-agent: *\nDisallow: /private/b',
    });
    const { body } = await leaseOf({ crawl_id: crawlId });
    expect(body.urls).toMatchObject([{ url: `${origin}/open`, user_agent: 'Special/1' }]);
    for (const path of ['/private/a', '/private/b'])
      expect(await urlRow(crawlId, origin + path)).toMatchObject({ state: 'excluded', reason: 'robots' });
    await expectExact(pool, Number(crawlId));
  });

  it('takes turns with the workers, and asks them for a host they hold', async () => {
    const { crawlId, hostId } = await queued({
      paths: Array.from({ length: 30 }, (_, at) => `/${String(at)}`),
    });
    await changeHost(pool, hostId, { fed: true });
    let { body } = await leaseOf({ crawl_id: crawlId });
    expect(body.urls).toHaveLength(1);
    while (body.urls.length > 0) {
      await ack(body.lease_id, [{ url: body.urls[0]?.url, status: 200 }]);
      const { not_before: since } = await hostRow(pool, hostId);
      ({ body } = await leaseOf({ crawl_id: crawlId }));
      // The workers have two seconds. Where this process took longer to ask, the host is lent again.
      if (body.urls.length > 0) expect(Date.now() - Number(since)).toBeGreaterThan(2_000);
    }
    const [own] = await takeLease(pool, String(hostId), 60_000);
    // The workers' turn has begun; what they ask ends the foreign one.
    await changeHost(pool, hostId, { lent: false });
    const before = Date.now();
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    const { lease_token: holder, lend_until: until } = await hostRow(pool, hostId);
    expect(holder).toBe(own?.token);
    // They are held back for some seconds only: here for a minute, so that it is seen.
    expect(Number(until)).toBeGreaterThan(before + 1_000);
    await changeHost(pool, hostId, {
      ...{ lease_token: null, lease_until: null, lend_until: fromNow(60) },
    });
    expect(await takeLease(pool, String(hostId), 60_000)).toEqual([]);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toHaveLength(1);
  });

  it('holds no worker back from a host it cannot have', async () => {
    const { origin, crawlId, hostId } = await queued();
    await optOut(pool, new URL(origin).hostname, null);
    for (let asked = 0; asked < 3; asked++) {
      // What is excluded for the opt-out is excluded by the slice that comes to the host.
      await tables.url.change(pool, { crawl_id: crawlId }, { state: 'queued', reason: null });
      expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    }
    expect(await takeLease(pool, String(hostId), 60_000)).toHaveLength(1);
  });

  it('never hands out a host twice, however many ask at once', async () => {
    const wanted: string[] = [];
    for (let at = 0; at < 12; at++) wanted.push((await queued()).origin);
    const all = await Promise.all(Array.from({ length: 6 }, () => leaseOf({ batch_size: 5 })));
    const given = all.flatMap(({ body }) => body.urls.map((each) => each.origin));
    expect(new Set(given).size).toBe(given.length);
    expect(given.filter((each) => wanted.includes(each)).length).toBeGreaterThan(0);
  });
});

describe('tenants', () => {
  it("get URLs of their own crawls alone, and add to no other's", async () => {
    const { crawlId, origin } = await queued();
    const stranger = await newKey(pool, await newTenant(pool), 'operator');
    expect((await leaseOf({}, stranger)).body.urls).toEqual([]);
    expect((await leaseOf({ crawl_id: crawlId }, stranger)).status).toBe(404);
    expect((await offer([{ url: `${origin}/x` }], { crawl_id: crawlId }, stranger)).status).toBe(404);
    const blind = await offer([{ url: `${origin}/x`, parent_url: `${origin}/a` }], {}, stranger);
    // It goes to the stranger's own default crawl, as if nobody else had ever met it.
    expect(blind.body).toEqual({ new_urls: [`${origin}/x`], rejected: [] });
    expect(await urlRow(crawlId, `${origin}/x`)).toBeUndefined();
  });
});

it('has 64 shards from outside, however many there are within', async () => {
  const at = (shard: string) => ask(api.url, api.key, 'POST', `/frontier/${shard}/lease_batch`, wanted);
  expect((await at('64')).status).toBe(400);
  expect([(await at('x')).status, (await at('-1')).status]).toEqual([400, 400]);
  const { origin, crawlId } = await queued();
  const lent = await ask<Batch>(api.url, api.key, 'POST', '/frontier/63/lease_batch', { ...wanted, crawl_id: crawlId }); // prettier-ignore
  expect(lent.body.urls).toMatchObject([{ url: `${origin}/a` }]);
  expect((await leaseOf({ lease_seconds: 301 })).status).toBe(422);
  expect((await leaseOf({ fetcher_id: 'a b\u0000' })).status).toBe(422);
});
