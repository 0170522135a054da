/** Fetchers that lie, or say what nobody can store (F37): nothing is lost, held up or told to other tenants. */
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { CrawlOver, offer } from '../../../engine/lending/offer.ts';
import { noteTurns } from '../../../storage/feeding/index.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import { expectExact } from '../storage/frontier.ts';
import {
  addHost,
  addUrl,
  changeCrawl,
  changeHost,
  fromNow,
  hadSettings,
  hostRow,
  leaseEnded,
  longAgo,
  not,
  robotsRead,
  setState,
  tables,
} from '../../support/database/index.ts';
import { ask, newKey, newTenant } from './asking.ts';
import { newCrawl, withApi } from './world.ts';

interface Batch {
  readonly lease_id: string | null;
  readonly urls: readonly { readonly url: string }[];
}
interface Acked {
  readonly results: readonly { readonly url: string; readonly result: string }[];
}

const { pool, api } = withApi({ anonymous: true });
let operator: string;
beforeAll(async () => {
  operator = await newKey(pool, '1', 'operator');
});

let hosts = 0;
/** A running crawl with one page queued at a host of its own whose robots.txt is known. */
async function queued(tenant: string, origin = `https://lie${String(++hosts)}.example`) {
  const crawlId = await newCrawl(pool, { scope: 'any', delaySeconds: 0 }, [`${origin}/`]);
  await changeCrawl(pool, crawlId, { tenant_id: tenant });
  await setState(pool, crawlId, 'running', null);
  const hostId = await addHost(pool, origin);
  await robotsRead(pool, hostId, { status: 200 });
  await addUrl(pool, crawlId, `${origin}/page`);
  return { origin, crawlId, hostId };
}

async function lease(crawlId: string, key: string): Promise<Batch> {
  const wanted = { fetcher_id: 'liar', batch_size: 1, lease_seconds: 30, crawl_id: crawlId };
  const { body } = await ask<Batch>(api.url, key, 'POST', '/frontier/0/lease_batch', wanted);
  expect(body.urls).toHaveLength(1);
  return body;
}
const report = (leaseId: string | null, result: object, key: string) =>
  ask<Acked>(api.url, key, 'POST', '/frontier/0/ack', { lease_id: leaseId, results: [result] });

/** What is held because of the report that has just come stays so, and not for a few seconds only. */
async function heldForLong(hostId: number): Promise<void> {
  const { asked_at: reported } = await hostRow(pool, hostId);
  const held = { host_id: hostId, held_until: not(longAgo) };
  for (const { held_until: until } of await tables.queue.rows(pool, held))
    expect(Number(until) - Number(reported)).toBeGreaterThan(4_000);
  await tables.queue.change(pool, held, { held_until: fromNow(3_600) });
}

describe('a report', () => {
  it.each<[string, object]>([
    ['NUL in Location', { status: 404, location: 'a\u0000b' }],
    ['half of a character in Location', { status: 503, location: '\ud800' }],
    ['a character that is cut in Location', { status: 418, location: `${'a'.repeat(255)}\u{1f600}` }],
    ['a redirect with both', { status: 302, location: '/\u0000\udfff' }],
    ['a character that is cut in the error', { error: `timeout: ${'a'.repeat(290)}\u{1f600}` }],
    ['an instant and a pause at the end of all time', { status: 429, fetched_at: '9999-12-31T23:59:59+23:59', retry_after_seconds: 1.7e308 }], // prettier-ignore
    ['informational', { status: 101, content_hash: 'ab'.repeat(32) }],
    ['not modified, though nothing was asked for', { status: 304, content_hash: 'ab'.repeat(32) }],
  ])('with %s is stored, and its host given back', async (_what, said) => {
    const { crawlId, hostId } = await queued('1');
    const { lease_id: leaseId, urls } = await lease(crawlId, operator);
    const { status, body } = await report(leaseId, { url: urls[0]?.url, ...said }, operator);
    expect({ status, results: body.results }).toEqual({
      status: 200,
      results: [{ url: urls[0]?.url, result: 'accepted' }],
    });
    expect(await hostRow(pool, hostId)).toMatchObject({ lease_token: null });
    await expectExact(pool, Number(crawlId));
  });

  it('puts no words before other tenants that crawl the host', async () => {
    const [liar, other] = [await newTenant(pool), await newTenant(pool)];
    const theirs = await queued(liar);
    const mine = await queued(other, theirs.origin);
    const key = await newKey(pool, liar, 'operator');
    const { lease_id: leaseId, urls } = await lease(theirs.crawlId, key);
    await report(leaseId, { url: urls[0]?.url, error: 'timeout: words of theirs' }, key);
    await heldForLong(theirs.hostId);
    const explained = async (tenant: string, crawlId: string): Promise<string> => {
      const path = `/v1/crawls/${crawlId}/explain?url=${theirs.origin}/page`;
      const reader = await newKey(pool, tenant, 'reader');
      return JSON.stringify((await ask(api.url, reader, 'GET', path)).body);
    };
    expect(await explained(other, mine.crawlId)).not.toMatch(/words of theirs|took too long|reported/);
    expect(await explained(liar, theirs.crawlId)).toContain('words of theirs');
    expect(await explained(liar, theirs.crawlId)).toContain(
      'another fetcher of the tenant has reported trouble',
    );
  });

  it('of trouble binds its own tenant alone, until the host has answered a worker of ours well for it', async () => {
    const [liar, other] = [await newTenant(pool), await newTenant(pool)];
    const theirs = await queued(liar);
    const mine = await queued(other, theirs.origin);
    const second = await queued(liar, theirs.origin);
    const key = await newKey(pool, liar, 'operator', { scopes: ['fetch'] });
    const { lease_id: leaseId, urls } = await lease(theirs.crawlId, key);
    await report(leaseId, { url: urls[0]?.url, error: 'connect-timeout' }, key);
    await heldForLong(theirs.hostId);
    const state = async () => {
      const queues = await tables.queue.rows(pool, { host_id: theirs.hostId });
      const held = queues.filter((queue) => queue.held_until_ms > 0).map((queue) => String(queue.crawl_id));
      return { ...(await hostRow(pool, theirs.hostId)), held };
    };
    expect(await state()).toMatchObject({
      ...{ failures: 0, slowdown: 0 },
      held: [theirs.crawlId, second.crawlId].toSorted(),
    });
    expect((await state()).not_before_ms).toBeLessThanOrEqual(1_000);
    const othersKey = await newKey(pool, other, 'operator');
    const wanted = { fetcher_id: 'honest', batch_size: 1, lease_seconds: 30 };
    const borrow = async (as: string) =>
      (await ask<Batch>(api.url, as, 'POST', '/frontier/0/lease_batch', wanted)).body.urls.length;
    await expect.poll(() => borrow(othersKey)).toBe(1);
    expect(await borrow(key)).toBe(0);
    expect(mine.hostId).toBe(theirs.hostId);
    // One that has just run out goes as well: until it has gone, our own worker goes first.
    await tables.queue.change(pool, { crawl_id: second.crawlId }, { held_until: fromNow() });
    const askedFor = async (crawlId: string): Promise<number> => {
      const turn = [{ crawl_id: Number(crawlId), asked_ago_ms: 0, turn_in_ms: null, version: 1 }];
      await noteTurns(pool, String(mine.hostId), JSON.stringify(turn), [Number(crawlId)]);
      return tables.queue.count(pool, { host_id: theirs.hostId, held_until: not(longAgo) });
    };
    expect(await askedFor(mine.crawlId)).toBe(2);
    expect(await askedFor(second.crawlId)).toBe(0);
  });
});

it('a loan that runs out leaves the host to others, and its tenant less until reports earn it back', async () => {
  const [idler, other] = [await newTenant(pool), await newTenant(pool)];
  const theirs = await queued(idler);
  await queued(other, theirs.origin);
  const [key, othersKey] = [await newKey(pool, idler, 'operator'), await newKey(pool, other, 'operator')];
  const { lease_id: leaseId } = await lease(theirs.crawlId, key);
  await tables.lentBatch.change(pool, { id: leaseId }, { until: fromNow(-1) });
  await leaseEnded(pool, theirs.hostId);
  await changeHost(pool, theirs.hostId, { lent: false });
  await hadSettings(pool, theirs.hostId, { delaySeconds: 0 });
  const wanted = { fetcher_id: 'any', batch_size: 1, lease_seconds: 40 };
  const borrow = (as: string) =>
    ask<{ urls: unknown[]; expires_in_seconds: number | null }>(api.url, as, 'POST', '/frontier/0/lease_batch', wanted); // prettier-ignore
  expect((await borrow(key)).body.urls).toEqual([]);
  expect(await hostRow(pool, theirs.hostId)).toMatchObject({ lend_until: null });
  await expect.poll(async () => (await borrow(othersKey)).body.urls.length).toBe(1);
  // Elsewhere it gets hosts, for a shorter time.
  await queued(idler);
  const told = (await borrow(key)).body.expires_in_seconds ?? 0;
  expect(told).toBeLessThan(20);
  expect(told).toBeGreaterThan(10);
});

it('a URL that is given back untried after long counts as a loan that ran out, one given back soon does not', async () => {
  const [idler, other] = [await newTenant(pool), await newTenant(pool)];
  const theirs = await queued(idler);
  await queued(other, theirs.origin);
  const key = await newKey(pool, idler, 'operator');
  const othersKey = await newKey(pool, other, 'operator');
  const wanted = { fetcher_id: 'idler', batch_size: 1, lease_seconds: 10 };
  const borrow = async (as: string) =>
    (
      await ask<Batch & { expires_in_seconds: number }>(
        api.url,
        as,
        'POST',
        '/frontier/0/lease_batch',
        wanted,
      )
    ).body;
  const giveBack = async (secondsAgo: number): Promise<void> => {
    const { lease_id: id, urls } = await borrow(key);
    expect(urls).toHaveLength(1);
    await tables.lentUrl.change(pool, { batch_id: id ?? '' }, { lent_at: fromNow(-secondsAgo) });
    const given = await report(id, { url: urls[0]?.url, error: 'not-tried' }, key);
    expect(given.body.results).toMatchObject([{ result: 'accepted' }]);
    const again = await report(id, { url: urls[0]?.url, error: 'not-tried' }, key);
    expect(again.body.results).toMatchObject([{ result: 'repeated' }]);
  };
  await giveBack(1);
  await giveBack(60);
  expect((await borrow(key)).urls).toEqual([]);
  await expect.poll(async () => (await borrow(othersKey)).urls.length).toBe(1);
  // Elsewhere it gets hosts for a shorter time.
  await queued(idler);
  expect((await borrow(key)).expires_in_seconds).toBeLessThan(10);
});

it('a tenant that lets loans run out has few at a time, over all hosts, however often it asks', async () => {
  const idler = await newTenant(pool);
  const key = await newKey(pool, idler, 'operator');
  for (let host = 0; host < 40; host++) await queued(idler);
  const borrow = async (): Promise<number> => {
    const wanted = { fetcher_id: 'dead', batch_size: 20, lease_seconds: 30 };
    const { body } = await ask<Batch>(api.url, key, 'POST', '/frontier/0/lease_batch', wanted);
    return body.urls.length;
  };
  expect(await borrow()).toBe(20);
  for (const { id } of await tables.lentBatch.rows(pool, { tenant_id: idler }))
    await tables.lentBatch.change(pool, { id }, { until: fromNow(-1) });
  let open = 0;
  for (let asked = 0; asked < 6; asked++) open += await borrow();
  expect(open).toBe(5);
});

it('offers to a crawl that ends in between are refused, and not taken for seen when it goes on', async () => {
  const { origin, crawlId } = await queued('1');
  const context = new LendingContext({
    pool,
    log: pino({ level: 'silent' }),
    wakeHost: () => Promise.resolve(),
    userAgent: 'test',
    shards: 1,
    caps: noCaps,
  });
  const link = [{ url: `${origin}/link`, parentUrl: null, depth: 1 }];
  await setState(pool, crawlId, 'finished', 'complete');
  await expect(offer(context, 1, crawlId, link)).rejects.toThrow(CrawlOver);
  await setState(pool, crawlId, 'running', null);
  expect(await offer(context, 1, crawlId, link)).toEqual({
    newUrls: [`${origin}/link`],
    rejected: [],
    unplaced: [],
  });
  expect(await offer(context, 1, crawlId, link)).toEqual({ newUrls: [], rejected: [], unplaced: [] });
});
