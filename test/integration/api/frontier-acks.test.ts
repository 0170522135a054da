/** What becomes of the reports of other fetchers (F37). */
import { hash, randomUUID } from 'node:crypto';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import { settle } from '../../../engine/lending/settle.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { reclaimUrls } from '../../../storage/frontier/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { changeHost, hostRow, tables } from '../../support/database/index.ts';
import { newKey, newTenant } from './asking.ts';
import {
  ack,
  expire,
  frontierApi,
  leaseOf,
  queued,
  rested,
  restMs,
  pool,
  turnMs,
  urlRow,
  woken,
  type Result,
} from './fetching-from.ts';

frontierApi();

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
    await expectExact(pool, Number(place.crawlId));
    return {
      ...place,
      row: await urlRow(place.crawlId, place.url),
      host: await hostRow(pool, place.hostId),
    };
  };

  it('commits by the rules of our own fetches and gives the host back with its pace', async () => {
    const contentHash = hash('sha256', 'one');
    const done = await outcome({ status: 200, content_hash: contentHash }, { config: { delaySeconds: 20 } });
    expect(done.row).toMatchObject({ state: 'done', reason: 'fetched-elsewhere', status: 200, stage: 0 });
    expect(done.host).toMatchObject({ lease_token: null, failures: 0, lent: true });
    expect(restMs(done.host)).toBeGreaterThan(0);
    expect(restMs(done.host)).toBeLessThanOrEqual(1_000);
    expect(await turnMs(done.crawlId)).toBeGreaterThan(19_000);

    expect((await outcome({ status: 404 })).row).toMatchObject({ state: 'dead', reason: 'gone' });
    expect((await outcome({ status: 403 })).row).toMatchObject({ state: 'failed', reason: 'forbidden' });
    expect((await outcome({ status: 500 })).row).toMatchObject({ state: 'queued', reason: 'server-error', tries: 1 }); // prettier-ignore
    expect((await outcome({ status: 301 })).row).toMatchObject({ state: 'failed', reason: 'bad-redirect' });
    expect((await outcome({ error: 'half a page, \u0000\ud800 then nothing' })).row).toMatchObject({ state: 'queued', reason: 'protocol' }); // prettier-ignore
    expect((await outcome({ status: 200, error: 'too-large' })).row).toMatchObject({ state: 'excluded', reason: 'too-large' }); // prettier-ignore
  });

  it('keeps the crawls of its tenant away for Retry-After and backoff, and teaches the host nothing', async () => {
    /** From the report on. */
    const heldMs = async ({ crawlId, host }: Awaited<ReturnType<typeof outcome>>): Promise<number> =>
      Number((await tables.queue.row(pool, { crawl_id: crawlId })).held_until) - Number(host.asked_at);
    const well = { failures: 0, slowdown: 0, last_error: null };
    const busy = await outcome({ status: 503, retry_after_seconds: 120.5 });
    expect(busy.row).toMatchObject({ state: 'queued', reason: 'overloaded' });
    expect(busy.host).toMatchObject(well);
    expect(busy.host.not_before_ms).toBeLessThan(1_000);
    const down = await outcome({ error: 'connect-refused: errno 111' });
    expect(down.host).toMatchObject(well);
    expect(await heldMs(down)).toBeGreaterThan(1_500);
    expect(down.host.not_before_ms).toBeLessThan(1_000);
    expect((await outcome({ status: 429, retry_after_seconds: 1e300 })).host).toMatchObject(well);
  });

  it('holds them before the host is free for anybody', async () => {
    const { crawlId, leaseId, url } = await lent();
    // The first thing that happens once the report is committed.
    const context = new LendingContext({
      ...{ pool: pool, log: pino({ level: 'silent' }), userAgent: 'test', shards: 1, caps: noCaps },
      wakeHost: () => Promise.resolve(),
    });
    const held = Promise.withResolvers<number>();
    context.permits.giveBack = async () => {
      held.resolve((await tables.queue.row(pool, { crawl_id: crawlId })).held_until_ms);
    };
    const said = { url, status: 429, contentHash: null, retryAfterSeconds: 90, location: null, error: null };
    expect(await settle(context, 1, leaseId ?? '', [said])).toEqual(['accepted']);
    expect(await held.promise).toBeGreaterThan(80_000);
  });

  it.each([
    ['in time', 'accepted', ['https://moved.example/home']],
    ['too late', 'late', []],
  ] as const)(
    'of a seed that moved, %s, widens the crawl together with its result or not at all',
    async (when, result, moved) => {
      const { crawlId, hostId, leaseId, url } = await lent({ config: { scope: 'host' } });
      await tables.url.change(pool, { crawl_id: crawlId, url }, { seed: true });
      const context = new LendingContext({
        ...{
          pool: pool,
          log: pino({ level: 'silent' }),
          userAgent: 'test',
          shards: 1,
          caps: noCaps,
        },
        wakeHost: () => Promise.resolve(),
      });
      // The last thing that happens before the report is stored.
      const judge = context.admission.judge.bind(context.admission);
      if (when === 'too late')
        context.admission.judge = async (...asked) => {
          await expire(hostId);
          return judge(...asked);
        };
      const said = { url, status: 301, contentHash: null, retryAfterSeconds: null, error: null };
      expect(
        await settle(context, 1, leaseId ?? '', [{ ...said, location: 'https://moved.example/home' }]),
      ).toEqual([result]);
      const view = await viewCrawl(pool, crawlId);
      expect(view?.seeds.firstMoved.map(({ to }) => to)).toEqual(moved);
      expect(await urlRow(crawlId, 'https://moved.example/home')).toEqual(
        moved.length === 0 ? undefined : expect.objectContaining({ state: 'queued', depth: 0, hops: 1 }),
      );
      await expectExact(pool, Number(crawlId));
    },
  );

  it('makes a URL of the frontier of a redirect', async () => {
    const { crawlId, origin, row } = await outcome({ status: 302, location: '/elsewhere' });
    expect(row).toMatchObject({ state: 'done', reason: 'redirect' });
    expect(await urlRow(crawlId, `${origin}/elsewhere`)).toMatchObject({ state: 'queued', hops: 1 });
  });

  it('tells duplicates by their hash among the reports of the crawl', async () => {
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
    await expectExact(pool, Number(crawlId));
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
    for (const { counter, pages } of await tables.counter.rows(pool, { crawl_id: crawlId }))
      counts[counter] = (counts[counter] ?? 0) + pages;
    expect(counts).toEqual({ 'depth 0': 3, 'matching ["*/a*",null,null]': 2 });
    await expectExact(pool, Number(crawlId));
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
    await expectExact(pool, Number(one.crawlId));
  });

  it('counts one report of several that come at once', async () => {
    const { leaseId, url, crawlId } = await lent();
    const all = await Promise.all([500, 500, 500, 500].map((status) => ack(leaseId, [{ url, status }])));
    const results = all.map(({ body }) => body.results[0]?.result).sort();
    expect(results).toEqual(['accepted', 'repeated', 'repeated', 'repeated']);
    expect(await urlRow(crawlId, url)).toMatchObject({ tries: 1, attempts: 1 });
    await expectExact(pool, Number(crawlId));
  });

  it('refuses a late one, taken over or not', async () => {
    const { leaseId, url, crawlId, hostId } = await lent();
    await expire(hostId);
    expect((await ack(leaseId, [{ url, status: 404 }])).body.results[0]?.result).toBe('late');
    const [own] = await takeLease(pool, String(hostId), 60_000);
    expect(own?.unclean).toBe(true);
    await reclaimUrls(pool, String(hostId), own?.token ?? 0);
    expect((await ack(leaseId, [{ url, status: 404 }])).body.results[0]?.result).toBe('late');
    expect(await urlRow(crawlId, url)).toMatchObject({ state: 'queued', reclaims: 1 });
    await expectExact(pool, Number(crawlId));
  });

  it('wakes a host whose workflow waits for it', async () => {
    const { leaseId, url, origin, hostId } = await lent();
    await changeHost(pool, hostId, { idle: true });
    await ack(leaseId, [{ url, status: 200 }]);
    await expect.poll(() => woken).toContain(origin);
  });

  it('believes nobody: lies change nothing', async () => {
    const { leaseId, url, crawlId } = await lent();
    const stranger = await newKey(pool, await newTenant(pool), 'operator');
    const [unknown, foreign, reader] = [
      await ack(randomUUID(), [{ url, status: 200 }]),
      await ack(leaseId, [{ url, status: 200 }], stranger),
      await ack(leaseId, [{ url, status: 200 }], await newKey(pool, '1', 'reader')),
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
      content_hash: null,
      reported_hash: Buffer.from(body_hash, 'hex'),
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
