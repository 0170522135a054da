/** The frontier for other fetchers on real Postgres (F37): who gets what, when, and what becomes of what they report. */
import { hash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { HostSettingsChange } from '../../../contracts/hosts.ts';
import type { Problem } from '../../../contracts/http/problem.ts';
import { weekDays } from '../../../domain/windows.ts';
import { optOut } from '../../../storage/opt-outs/index.ts';
import { reclaimUrls } from '../../../storage/frontier/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { expectExact } from '../storage/frontier.ts';
import {
  addHost,
  addUrl,
  changeCrawl,
  changeHost,
  fromNow,
  hadSettings,
  hostRested,
  hostRow,
  leaseEnded,
  like,
  robotsRead,
  seedsOf,
  setState,
  tables,
  type HostColumns,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant, type Answer } from './asking.ts';
import { noteTaker, serve, startServices, newRunningCrawl, type Api, type Services } from './world.ts';

interface Batch {
  readonly lease_id: string | null;
  readonly urls: readonly { readonly url: string; readonly host: string; readonly origin: string; readonly crawl_id: string; readonly user_agent: string; readonly depth: number }[]; // prettier-ignore
  readonly expires_at: string | null;
  readonly expires_in_seconds: number | null;
}
interface Acked {
  readonly results: readonly { readonly url: string; readonly result: string }[];
}
type Result = Readonly<Record<string, unknown>>;

let services: Services;
let api: Api;
const woken: string[] = [];

beforeAll(async () => {
  services = await startServices();
  api = await serve(services.pool, noteTaker(services.pool), 100_000, (origin) => {
    woken.push(origin);
    return Promise.resolve();
  });
});

afterAll(async () => {
  await api.stop();
  await services.stop();
});

const wish = { fetcher_id: 'test', batch_size: 10, lease_seconds: 30 };
const leaseOf = (over: Result = {}, key = api.key): Promise<Answer<Batch>> =>
  ask<Batch>(api.url, key, 'POST', '/frontier/0/lease_batch', { ...wish, ...over });
const ack = (leaseId: string | null, results: readonly Result[], key = api.key): Promise<Answer<Acked>> =>
  ask<Acked>(api.url, key, 'POST', '/frontier/0/ack', { lease_id: leaseId, results });
const offer = (candidates: readonly Result[], over: Result = {}, key = api.key) =>
  ask<{ new_urls: string[]; rejected: { index: number; why: string }[] }>(api.url, key, 'POST', '/dedup/check_and_add', { candidates, ...over }); // prettier-ignore

let hosts = 0;
/** A running crawl with pages queued at a host of its own whose robots.txt is known. */
async function queued(
  { config = {}, paths = ['/a', '/b', '/c'], robots = null }: { config?: Partial<CrawlConfig>; paths?: readonly string[]; robots?: string | null } = {}, // prettier-ignore
) {
  const origin = `https://h${String(++hosts)}.example`;
  const crawlId = await newRunningCrawl(services.pool, { scope: 'any', delaySeconds: 0, ...config }, [
    `${origin}/`,
  ]);
  const hostId = await addHost(services.pool, origin);
  await robotsRead(services.pool, hostId, { status: 200, body: robots });
  for (const [at, path] of paths.entries()) await addUrl(services.pool, crawlId, origin + path, { priority: 1 / (1 + at) }); // prettier-ignore
  return { origin, crawlId, hostId };
}
const urlRow = async (crawlId: string, url: string) =>
  (await tables.url.rows(services.pool, { crawl_id: crawlId, url }))[0];
/** Milliseconds until a crawl with work at one host has its turn there. */
const turnMs = async (crawlId: string): Promise<number> =>
  (await tables.queue.row(services.pool, { crawl_id: crawlId })).own_turn_at_ms;
/** As if the loan had run out just now. */
const expire = (hostId: number) => leaseEnded(services.pool, hostId);
/** The workers have had their turn, and no pace is owed. */
const rested = async (hostId: number): Promise<void> => {
  await hostRested(services.pool, hostId);
  await changeHost(services.pool, hostId, { lent: false });
};

describe('lease_batch', () => {
  it('hands out one URL of a host, under a lease that keeps everybody else away, and says when to stop', async () => {
    const { origin, crawlId, hostId } = await queued();
    const other = await queued();
    const before = Date.now();
    const { status, body } = await leaseOf();
    expect(status).toBe(200);
    const mine = body.urls.filter((each) => [origin, other.origin].includes(each.origin));
    expect(mine.map(({ url }) => url).sort()).toEqual([`${origin}/a`, `${other.origin}/a`].sort());
    expect(mine.find((each) => each.origin === origin)).toMatchObject({ host: new URL(origin).hostname, crawl_id: crawlId, depth: 0, user_agent: 'Orbweaver/0 (test)' }); // prettier-ignore
    expect(body.expires_in_seconds).toBe(30);
    const told = Date.parse(body.expires_at ?? '') - before;
    expect(told).toBeGreaterThanOrEqual(30_000);
    expect(told).toBeLessThan(35_000);
    // A margin more, so that a request which ends at the last moment is respected.
    const { lease_until_ms: held } = await hostRow(services.pool, hostId);
    expect(held).toBeGreaterThan(told);
    expect(await takeLease(services.pool, String(hostId), 1_000)).toEqual([]);
    expect((await leaseOf({ crawl_id: crawlId })).body).toEqual({ lease_id: null, urls: [], expires_at: null, expires_in_seconds: null }); // prettier-ignore
    await expectExact(services.pool, Number(crawlId));
  });

  it('leaves alone what may not be asked now', async () => {
    const changed = (columns: HostColumns) => (hostId: number) => changeHost(services.pool, hostId, columns);
    const setAlong = (settings: HostSettingsChange, columns?: HostColumns) => async (hostId: number) => {
      await hadSettings(services.pool, hostId, settings);
      if (columns !== undefined) await changeHost(services.pool, hostId, columns);
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
      'leased by a worker': (hostId) => takeLease(services.pool, String(hostId), 60_000),
      'no robots.txt': (hostId) => tables.robots.remove(services.pool, { host_id: hostId }),
      'an old robots.txt': (hostId) =>
        tables.robots.change(services.pool, { host_id: hostId }, { fetched_at: fromNow(-25 * 3_600) }),
      'opted out': (_hostId, origin) => optOut(services.pool, new URL(origin).hostname, null),
      'a crawl that is paused': (_hostId, _origin, crawlId) =>
        setState(services.pool, crawlId, 'paused', null),
      'a page limit reached': async (_hostId, _origin, crawlId) => {
        const { config } = await tables.crawl.row(services.pool, { id: crawlId });
        await changeCrawl(services.pool, crawlId, { config: { ...config, maxPages: 0 } });
      },
      'a lease not returned': setAlong({ delaySeconds: 60 }, { lease_token: 1, lease_until: fromNow(-1) }),
      'a sitemap first': (hostId) =>
        tables.url.change(services.pool, { host_id: hostId, url: like('%/c') }, { kind: 1, priority: 9 }),
    };
    for (const [what, close] of Object.entries(closed)) {
      const { origin, crawlId, hostId } = await queued();
      await close(hostId, origin, crawlId);
      const { body } = await leaseOf({ crawl_id: crawlId });
      expect({ what, urls: body.urls }).toEqual({ what, urls: [] });
      await expectExact(services.pool, Number(crawlId));
    }
  });

  it('waits a full delay where the lease before was not returned', async () => {
    const { crawlId, hostId } = await queued({ config: { delaySeconds: 40 } });
    const first = await leaseOf({ crawl_id: crawlId });
    expect(first.body.urls).toHaveLength(1);
    await expire(hostId);
    await changeHost(services.pool, hostId, { lent: false });
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    const { not_before_ms: waitMs } = await hostRow(services.pool, hostId);
    expect(waitMs).toBeGreaterThan(0);
    expect(await turnMs(crawlId)).toBeGreaterThan(38_000);
    // A fetcher that never reports does not get turn after turn.
    expect(await hostRow(services.pool, hostId)).toMatchObject({ lent: true, lend_until: null });
    await rested(hostId);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    await tables.queue.change(
      services.pool,
      { crawl_id: crawlId },
      { asked_at: null, own_turn_at: fromNow() },
    );
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toHaveLength(1);
    await expectExact(services.pool, Number(crawlId));
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
    await expectExact(services.pool, Number(crawlId));
  });

  it('takes turns with the workers, and asks them for a host they hold', async () => {
    const { crawlId, hostId } = await queued();
    await changeHost(services.pool, hostId, { fed: true });
    const first = await leaseOf({ crawl_id: crawlId });
    await ack(first.body.lease_id, [{ url: first.body.urls[0]?.url, status: 200 }]);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    const [own] = await takeLease(services.pool, String(hostId), 60_000);
    // The workers' turn has begun; what they ask ends the foreign one.
    await changeHost(services.pool, hostId, { lent: false });
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    expect(await hostRow(services.pool, hostId)).toMatchObject({ lease_token: own?.token });
    await changeHost(services.pool, hostId, { lease_token: null, lease_until: null });
    expect(await takeLease(services.pool, String(hostId), 60_000)).toEqual([]);
    expect((await leaseOf({ crawl_id: crawlId })).body.urls).toHaveLength(1);
  });

  it('holds no worker back from a host it cannot have', async () => {
    const { origin, crawlId, hostId } = await queued();
    await optOut(services.pool, new URL(origin).hostname, null);
    for (let asked = 0; asked < 3; asked++) {
      // What is excluded for the opt-out is excluded by the slice that comes to the host.
      await tables.url.change(services.pool, { crawl_id: crawlId }, { state: 'queued', reason: null });
      expect((await leaseOf({ crawl_id: crawlId })).body.urls).toEqual([]);
    }
    expect(await takeLease(services.pool, String(hostId), 60_000)).toHaveLength(1);
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

describe('ack', () => {
  /** A URL handed out, and what is needed to report it. */
  const lent = async (over: Parameters<typeof queued>[0] = {}) => {
    const place = await queued(over);
    const { body } = await leaseOf({ crawl_id: place.crawlId });
    return { ...place, leaseId: body.lease_id, url: body.urls[0]?.url ?? '' };
  };
  const outcome = async (result: Result, over: Parameters<typeof queued>[0] = {}) => {
    const place = await lent(over);
    const { body, status } = await ack(place.leaseId, [{ url: place.url, ...result }]);
    expect({ status, results: body.results }).toEqual({ status: 200, results: [{ url: place.url, result: 'accepted' }] }); // prettier-ignore
    await expectExact(services.pool, Number(place.crawlId));
    return {
      ...place,
      row: await urlRow(place.crawlId, place.url),
      host: await hostRow(services.pool, place.hostId),
    };
  };

  it('commits by the rules of our own fetches and gives the host back with its pace', async () => {
    const contentHash = hash('sha256', 'one');
    const done = await outcome({ status: 200, content_hash: contentHash }, { config: { delaySeconds: 20 } });
    expect(done.row).toMatchObject({ state: 'done', reason: 'fetched-elsewhere', status: 200, stage: 0 });
    expect(done.host).toMatchObject({ lease_token: null, failures: 0, lent: true });
    expect(done.host.not_before_ms).toBeGreaterThan(0);
    expect(done.host.not_before_ms).toBeLessThanOrEqual(1_000);
    expect(await turnMs(done.crawlId)).toBeGreaterThan(19_000);

    expect((await outcome({ status: 404 })).row).toMatchObject({ state: 'dead', reason: 'gone' });
    expect((await outcome({ status: 403 })).row).toMatchObject({ state: 'failed', reason: 'forbidden' });
    expect((await outcome({ status: 500 })).row).toMatchObject({ state: 'queued', reason: 'server-error', tries: 1 }); // prettier-ignore
    expect((await outcome({ status: 301 })).row).toMatchObject({ state: 'failed', reason: 'bad-redirect' });
    expect((await outcome({ error: 'half a page, \u0000\ud800 then nothing' })).row).toMatchObject({ state: 'queued', reason: 'protocol' }); // prettier-ignore
    expect((await outcome({ status: 200, error: 'too-large' })).row).toMatchObject({ state: 'excluded', reason: 'too-large' }); // prettier-ignore
  });

  it('keeps the crawls of its tenant away for Retry-After and backoff, and teaches the host nothing', async () => {
    const heldMs = async (crawlId: string): Promise<number> =>
      (await tables.queue.row(services.pool, { crawl_id: crawlId })).held_until_ms;
    const well = { failures: 0, slowdown: 0, last_error: null };
    const busy = await outcome({ status: 503, retry_after_seconds: 120.5 });
    expect(busy.row).toMatchObject({ state: 'queued', reason: 'overloaded' });
    expect(busy.host).toMatchObject(well);
    expect(busy.host.not_before_ms).toBeLessThan(1_000);
    const down = await outcome({ error: 'connect-refused: errno 111' });
    expect(down.host).toMatchObject(well);
    expect(await heldMs(down.crawlId)).toBeGreaterThan(1_500);
    expect(down.host.not_before_ms).toBeLessThan(1_000);
    expect((await outcome({ status: 429, retry_after_seconds: 1e300 })).host).toMatchObject(well);
  });

  it('makes a URL of the frontier of a redirect', async () => {
    const { crawlId, origin, row } = await outcome({ status: 302, location: '/elsewhere' });
    expect(row).toMatchObject({ state: 'done', reason: 'redirect' });
    expect(await urlRow(crawlId, `${origin}/elsewhere`)).toMatchObject({ state: 'queued', hops: 1 });
  });

  it('tells duplicates by their hash within the crawl', async () => {
    const { crawlId, hostId, origin } = await queued();
    const content_hash = hash('sha256', randomUUID());
    for (const path of ['/a', '/b']) {
      const { body } = await leaseOf({ crawl_id: crawlId });
      expect(body.urls.map(({ url }) => url)).toEqual([origin + path]);
      await ack(body.lease_id, [{ url: origin + path, status: 200, content_hash }]);
      await rested(hostId);
    }
    const first = await urlRow(crawlId, `${origin}/a`);
    expect(first).toMatchObject({ alias_key: null });
    expect(await urlRow(crawlId, `${origin}/b`)).toMatchObject({ alias_host: hostId, alias_key: first?.key, stage: 0 }); // prettier-ignore
    await expectExact(services.pool, Number(crawlId));
  });

  it('counts for finish criteria by URL and depth, once, and not for what only a reader knows', async () => {
    const finish = {
      any: [
        { matching: { count: 9, url: '*/a*' } },
        { matching: { count: 9, url: '*/a*', title: 'x' } },
        { depth: 0 },
        { depth: 1 },
      ],
    };
    const { crawlId, hostId, origin } = await queued({
      config: { finish },
      paths: ['/a', '/ab', '/b', '/ac'],
    });
    const same = hash('sha256', randomUUID());
    const reports = { '/a': { content_hash: same }, '/ab': {}, '/b': {}, '/ac': { content_hash: same } };
    for (const [path, report] of Object.entries(reports)) {
      const { body } = await leaseOf({ crawl_id: crawlId });
      expect(body.urls.map(({ url }) => url)).toEqual([origin + path]);
      const result = { url: origin + path, status: 200, ...report };
      await ack(body.lease_id, [result]);
      await ack(body.lease_id, [result]);
      await rested(hostId);
    }
    const counts: Record<string, number> = {};
    for (const { counter, pages } of await tables.counter.rows(services.pool, { crawl_id: crawlId }))
      counts[counter] = (counts[counter] ?? 0) + pages;
    expect(counts).toEqual({ 'depth 0': 3, 'matching ["*/a*",null,null]': 2 });
    await expectExact(services.pool, Number(crawlId));
  });

  it('gives back what was not tried, at no cost to URL and host', async () => {
    const { row, host } = await outcome({ error: 'not-tried' });
    expect(row).toMatchObject({ state: 'queued', tries: 0, attempts: 0, reclaims: 0 });
    expect(host).toMatchObject({ failures: 0, lease_token: null });
  });

  it('takes a part, and changes nothing when it comes again', async () => {
    const [one, two] = [await queued(), await queued()];
    const { body } = await leaseOf({ batch_size: 100 });
    const report = { url: `${one.origin}/a`, status: 404 };
    expect((await ack(body.lease_id, [report])).body.results[0]?.result).toBe('accepted');
    expect((await urlRow(two.crawlId, `${two.origin}/a`))?.state).toBe('leased');
    const twice = await ack(body.lease_id, [
      { ...report, status: 200 },
      { url: `${two.origin}/a`, status: 200 },
    ]);
    expect(twice.body.results.map(({ result }) => result)).toEqual(['repeated', 'accepted']);
    expect(await urlRow(one.crawlId, report.url)).toMatchObject({ state: 'dead' });
    await expectExact(services.pool, Number(one.crawlId));
  });

  it('counts one report of several that come at once', async () => {
    const { leaseId, url, crawlId } = await lent();
    const all = await Promise.all([500, 500, 500, 500].map((status) => ack(leaseId, [{ url, status }])));
    const results = all.map(({ body }) => body.results[0]?.result).sort();
    expect(results).toEqual(['accepted', 'repeated', 'repeated', 'repeated']);
    expect(await urlRow(crawlId, url)).toMatchObject({ tries: 1, attempts: 1 });
    await expectExact(services.pool, Number(crawlId));
  });

  it('refuses a late one, taken over or not', async () => {
    const { leaseId, url, crawlId, hostId } = await lent();
    await expire(hostId);
    expect((await ack(leaseId, [{ url, status: 404 }])).body.results[0]?.result).toBe('late');
    const [own] = await takeLease(services.pool, String(hostId), 60_000);
    expect(own?.unclean).toBe(true);
    await reclaimUrls(services.pool, String(hostId), own?.token ?? 0);
    expect((await ack(leaseId, [{ url, status: 404 }])).body.results[0]?.result).toBe('late');
    expect(await urlRow(crawlId, url)).toMatchObject({ state: 'queued', reclaims: 1 });
    await expectExact(services.pool, Number(crawlId));
  });

  it('wakes a host whose workflow waits for it', async () => {
    const { leaseId, url, origin, hostId } = await lent();
    await changeHost(services.pool, hostId, { idle: true });
    await ack(leaseId, [{ url, status: 200 }]);
    await expect.poll(() => woken).toContain(origin);
  });

  it('believes nobody: lies change nothing', async () => {
    const { leaseId, url, crawlId } = await lent();
    const stranger = await newKey(services.pool, await newTenant(services.pool), 'operator');
    const [unknown, foreign, reader] = [
      await ack(randomUUID(), [{ url, status: 200 }]),
      await ack(leaseId, [{ url, status: 200 }], stranger),
      await ack(leaseId, [{ url, status: 200 }], await newKey(services.pool, '1', 'reader')),
    ];
    expect([unknown.status, foreign.status, reader.status]).toEqual([404, 404, 403]);
    for (const result of [
      { url, status: 999 },
      { url, status: 20.5 },
      { url },
      { url, status: 200, content_hash: 'x'.repeat(64) },
      { url, status: 200, fetched_at: 'yesterday' },
      { url, status: 200, retry_after_seconds: -1 },
      { url, status: 200, extra: true },
      { url, error: 'x'.repeat(501) },
    ]) {
      const { status, body } = await ack(leaseId, [result]);
      expect({ result, status, is: body.results[0]?.result }).toEqual({ result, status: 200, is: 'invalid' });
    }
    const made = ['https://never.example/', `${url}?more`, '\u0000', "'; drop table url; --", '\ud800'];
    const { body } = await ack(
      leaseId,
      made.map((each) => ({ url: each, status: 200 })),
    );
    expect(body.results.map(({ result }) => result)).toEqual(made.map(() => 'unknown'));
    expect((await urlRow(crawlId, url))?.state).toBe('leased');
  });
});

describe('tenants', () => {
  it("get URLs of their own crawls alone, and add to no other's", async () => {
    const { crawlId, origin } = await queued();
    const stranger = await newKey(services.pool, await newTenant(services.pool), 'operator');
    expect((await leaseOf({}, stranger)).body.urls).toEqual([]);
    expect((await leaseOf({ crawl_id: crawlId }, stranger)).status).toBe(404);
    expect((await offer([{ url: `${origin}/x` }], { crawl_id: crawlId }, stranger)).status).toBe(404);
    const blind = await offer([{ url: `${origin}/x`, parent_url: `${origin}/a` }], {}, stranger);
    // It goes to the stranger's own standing crawl, as if nobody else had ever met it.
    expect(blind.body).toEqual({ new_urls: [`${origin}/x`], rejected: [] });
    expect(await urlRow(crawlId, `${origin}/x`)).toBeUndefined();
  });
});

describe('check_and_add', () => {
  it('admits by the rules of the crawl, each URL once, and says which were new', async () => {
    const { crawlId, origin } = await queued({
      config: { scope: 'host', maxDepth: 3, exclude: ['*/secret*'] },
    });
    const parent_url = `${origin}/a`;
    const found = [
      ...[
        `${origin}/new`,
        `${origin}/new#again`,
        `${origin}/b`,
        `${origin}/secret`,
        'https://outside.example/',
      ],
      ...['mailto:nobody@example', '\u0000', `${origin}/\ud800`],
    ].map((url) => ({ url, parent_url, depth: 1 }));
    const first = await offer(found);
    expect(first.status).toBe(200);
    expect(first.body.new_urls.slice(0, 1)).toEqual([`${origin}/new`]);
    expect(first.body.new_urls).not.toContain(`${origin}/b`);
    expect(first.body.rejected.map(({ index }) => index)).toEqual(expect.arrayContaining([5]));
    expect((await offer(found)).body.new_urls).toEqual([]);
    expect(await urlRow(crawlId, `${origin}/secret`)).toMatchObject({ state: 'excluded', reason: 'pattern' });
    await expectExact(services.pool, Number(crawlId));
  });

  it("takes no depth for less than the parent's and one", async () => {
    const { crawlId, origin } = await queued({ config: { maxDepth: 1 } });
    const [one, two] = [`${origin}/one`, `${origin}/two`];
    expect((await offer([{ url: one, parent_url: `${origin}/a`, depth: 0 }])).body.new_urls).toEqual([one]);
    expect((await offer([{ url: two, parent_url: one, depth: 0 }])).body.new_urls).toEqual([]);
    expect(await urlRow(crawlId, two)).toMatchObject({ state: 'excluded', reason: 'depth', depth: 2 });
  });

  it('says what it needs: a crawl, an open one, a parent that is known, and no more links than are taken', async () => {
    const { crawlId, origin } = await queued({ config: { maxLinksPerPage: 2 } });
    const orphan = await offer([{ url: `${origin}/x`, parent_url: `${origin}/nobody-met` }], { crawl_id: crawlId }); // prettier-ignore
    expect(orphan.body.rejected[0]?.why).toBe('parent_url: the crawl has not met this URL');
    expect((await offer([{ url: `${origin}/x` }], { crawl_id: crawlId })).body.new_urls).toEqual([
      `${origin}/x`,
    ]);
    const many = ['1', '2', '3'].map((name) => ({ url: `${origin}/${name}`, parent_url: `${origin}/a` }));
    const { body } = await offer(many);
    expect(body.new_urls).toHaveLength(2);
    expect(body.rejected).toEqual([
      { index: 2, why: 'parent_url: the crawl takes at most 2 links from a page' },
    ]);
    await setState(services.pool, crawlId, 'cancelled', null);
    expect((await offer([{ url: `${origin}/y` }], { crawl_id: crawlId })).status).toBe(409);
    expect((await offer([])).status).toBe(422);
  });

  it('refuses to grow beyond the quota of the tenant', async () => {
    const tenant = await newTenant(services.pool, { urlsTotal: 1 });
    const key = await newKey(services.pool, tenant, 'operator');
    const { origin, crawlId } = await queued();
    await changeCrawl(services.pool, crawlId, { tenant_id: tenant });
    const { status, body } = await offer([{ url: `${origin}/x` }], { crawl_id: crawlId }, key);
    expect({ status, quota: (body as unknown as Problem).quota }).toEqual({
      status: 403,
      quota: 'urlsTotal',
    });
  });
});

describe('check_and_add without a crawl', () => {
  it('adds what belongs to no crawl to the standing one, and says once that it is new', async () => {
    const tenant = await newTenant(services.pool);
    const key = await newKey(services.pool, tenant, 'operator');
    const urls = [
      'https://one.example/',
      'https://two.example/a?b=1',
      'https://one.example/#top',
      'mailto:x',
    ];
    const candidates = urls.map((url) => ({ url, parent_url: 'https://unmet.example/', depth: 4 }));
    const both = await Promise.all([offer(candidates, {}, key), offer(candidates, {}, key)]);
    expect(both.flatMap(({ body }) => body.new_urls).sort()).toEqual(urls.slice(0, 2));
    for (const { body } of both) expect(body.rejected.map(({ index }) => index)).toEqual([3]);
    const { default_crawl_id: crawl } = await tables.tenant.row(services.pool, { id: tenant });
    expect((await seedsOf(services.pool, crawl ?? 0)).sort()).toEqual(urls.slice(0, 2));
    expect((await offer(candidates, {}, key)).body.new_urls).toEqual([]);
  });

  it('goes to the crawl that the parent was lent for last, where several have met it', async () => {
    const { crawlId, origin } = await queued();
    const second = await newRunningCrawl(services.pool, { scope: 'any', delaySeconds: 0 }, [`${origin}/`]);
    await addUrl(services.pool, second, `${origin}/a`);
    const parent_url = `${origin}/a`;
    const { body } = await leaseOf({ crawl_id: crawlId });
    expect(body.urls.map(({ url }) => url)).toEqual([parent_url]);
    const link = `${origin}/of-the-first`;
    expect((await offer([{ url: link, parent_url, depth: 1 }])).body.new_urls).toEqual([link]);
    expect(await urlRow(crawlId, link)).toBeDefined();
    expect(await urlRow(second, link)).toBeUndefined();
  });
});

describe('an ack in the words of others', () => {
  it('takes sha256: before a hash, and 0 for no status', async () => {
    const one = await queued();
    const two = await queued();
    const body_hash = hash('sha256', 'x');
    const leases = await Promise.all([
      leaseOf({ crawl_id: one.crawlId }),
      leaseOf({ crawl_id: two.crawlId }),
    ]);
    const results: Result[] = [
      { url: `${one.origin}/a`, status: 200, content_hash: `sha256:${body_hash}`, fetched_at: '2031-01-01T00:00:00Z' },
      { url: `${two.origin}/a`, status: 0, error: 'dns_timeout' },
    ]; // prettier-ignore
    for (const [at, { body }] of leases.entries())
      expect((await ack(body.lease_id, [results[at] ?? {}])).body.results[0]?.result).toBe('accepted');
    expect(await urlRow(one.crawlId, `${one.origin}/a`)).toMatchObject({
      state: 'done',
      content_hash: Buffer.from(body_hash, 'hex'),
    });
    expect(await urlRow(two.crawlId, `${two.origin}/a`)).toMatchObject({ state: 'queued' });
  });

  it('is told which result was not understood, and does the others', async () => {
    const { crawlId, origin } = await queued();
    const { body } = await leaseOf({ crawl_id: crawlId });
    const answer = await ack(body.lease_id, [
      { url: `${origin}/a`, status: 99 },
      { url: `${origin}/a`, status: 200, content_hash: 'md5:1' },
      { status: 200 },
      { url: `${origin}/a`, status: 404 },
    ]);
    expect([answer.status, answer.body.results]).toEqual([
      200,
      [
        { url: `${origin}/a`, result: 'invalid', why: expect.stringMatching(/^status: /) as string },
        { url: `${origin}/a`, result: 'invalid', why: 'content_hash: not a SHA-256 in hexadecimal' },
        { url: null, result: 'invalid', why: expect.stringMatching(/^url: /) as string },
        { url: `${origin}/a`, result: 'accepted' },
      ],
    ]);
    expect(await urlRow(crawlId, `${origin}/a`)).toMatchObject({ state: 'dead' });
  });
});

it('has 64 shards from outside, however many there are within', async () => {
  const at = (shard: string) => ask(api.url, api.key, 'POST', `/frontier/${shard}/lease_batch`, wish);
  expect((await at('64')).status).toBe(400);
  expect([(await at('x')).status, (await at('-1')).status]).toEqual([400, 400]);
  const { origin, crawlId } = await queued();
  const lent = await ask<Batch>(api.url, api.key, 'POST', '/frontier/63/lease_batch', { ...wish, crawl_id: crawlId }); // prettier-ignore
  expect(lent.body.urls).toMatchObject([{ url: `${origin}/a` }]);
  expect((await leaseOf({ lease_seconds: 301 })).status).toBe(422);
  expect((await leaseOf({ fetcher_id: 'a b\u0000' })).status).toBe(422);
});
