/** Workers of ours and a foreign fetcher at hosts that both want (F37): turns are as many requests, whoever is quicker. */
import { describe, expect, it } from 'vitest';
import pino from 'pino';
import { noCaps } from '../../../engine/caps/cap-book.ts';
import { lend, type Loan } from '../../../engine/lending/lend.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import { settle } from '../../../engine/lending/settle.ts';
import { sleep } from '../../../engine/visit/sleep.ts';
import { longestLoanMs, turnRequests } from '../../../domain/lending.ts';
import { changeHost, fromNow, hostRow, leaseEnded, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, startSite, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
/** Called when the workflow of a host would be woken. */
const wakers = new Map<string, () => void>();

const context = new LendingContext({
  pool,
  log: pino({ level: 'silent' }),
  wakeHost: (origin) => Promise.resolve(wakers.get(origin)?.()),
  userAgent: 'Orbweaver/0.0',
  shards: 1,
  caps: noCaps,
});

const borrow = (crawl: number): Promise<Loan | null> =>
  lend(context, {
    ...{ tenantId: 1, shards: [0], crawlId: String(crawl), fetcherId: 'test', batchSize: 10, toldMs: 30_000 },
  });
const report = (url: string) => ({
  ...{ url, status: 200, contentHash: null, retryAfterSeconds: null, location: null, error: null },
});

/** A host at work, whose robots.txt is known, with so many pages queued. */
async function atWork(crawl: number, pages: number): Promise<{ site: Site; host: HostRow }> {
  const site = await startSite();
  const host = await fetching.host(site.origin);
  await fetching.queue(crawl, host, '/first');
  await fetching.role().fetchSlice(host);
  await fetching.queue(crawl, host, ...Array.from({ length: pages }, (_, at) => `/${String(at)}`));
  await changeHost(pool, host.hostId, { fed: true });
  return { site, host };
}

/** What the host's workflow does: visit after visit, asleep or woken in between, until nothing is due. */
async function work(host: HostRow): Promise<void> {
  const role = fetching.role({ sliceMs: 10_000, leaseMs: 2_000 });
  for (;;) {
    const woken = new Promise<void>((wake) => wakers.set(host.origin, wake));
    const { next, waitMs } = await role.fetchSlice(host);
    if (next === 'idle') return;
    if (next !== 'wait') continue;
    const timer = new AbortController();
    await Promise.race([woken, sleep(waitMs, timer.signal)]);
    timer.abort();
  }
}

it('share each host by halves, one request at a time and never too soon', { tags: ['long'] }, async () => {
  const delayMs = 100;
  const crawl = await fetching.crawl({ delaySeconds: delayMs / 1_000 });
  const pages = 40;
  const hosts = [await atWork(crawl, pages), await atWork(crawl, pages)];
  const theirs = new Map<string, number>();
  const over = { yes: false };
  const fetchers = async (): Promise<void> => {
    while (!over.yes) {
      const loan = await borrow(crawl);
      if (loan === null) await new Promise((waited) => setTimeout(waited, 50));
      for (const { url, origin } of loan?.urls ?? []) {
        await (await fetch(url)).text();
        theirs.set(origin, (theirs.get(origin) ?? 0) + 1);
        expect(await settle(context, 1, loan?.id ?? '', [report(url)])).toEqual(['accepted']);
      }
    }
  };
  const borrowing = fetchers();
  // What a visit has in hand when a fetcher comes is not lent: these hosts have few pages.
  await until('both are wanted', () => theirs.size === hosts.length);
  const working = Promise.all(hosts.map(({ host }) => work(host)));
  await working.finally(() => (over.yes = true));
  await borrowing;
  for (const { site } of hosts) {
    const share = (theirs.get(site.origin) ?? 0) / pages;
    expect(share).toBeGreaterThanOrEqual(0.4);
    expect(share).toBeLessThanOrEqual(0.6);
    expect(site.hits).toHaveLength(pages + 2);
    expect(site.together()).toBe(1);
    expect(Math.min(...gaps(site).slice(1))).toBeGreaterThanOrEqual(delayMs - 5);
  }
  await expectExact(pool, crawl);
});

describe('a turn', () => {
  it('of ours ends after some requests where a fetcher wants the host, and as many are then the fetcher’s', async () => {
    const crawl = await fetching.crawl({ delaySeconds: 0 });
    const { site, host } = await atWork(crawl, 20);
    const role = fetching.role({ sliceMs: 10_000 });
    // The fetcher's turn at first is one request.
    const first = await borrow(crawl);
    await settle(context, 1, first?.id ?? '', [report(first?.urls[0]?.url ?? '')]);
    const before = site.hits.length;
    expect(await role.fetchSlice(host)).toMatchObject({ next: 'more' });
    expect(site.hits.length - before).toBe(turnRequests);
    // The host is kept for the fetcher, and the workflow waits without a lease.
    expect(await role.fetchSlice(host)).toMatchObject({ fetched: 0, next: 'wait', closedBy: 'lent' });
    for (let loan = 1; loan <= turnRequests; loan++) {
      await changeHost(pool, host.hostId, { not_before: fromNow(), paced_until: fromNow() });
      const { id = '', urls = [] } = (await borrow(crawl)) ?? {};
      expect(urls).toHaveLength(1);
      // However busy the machine is, the turn took no time.
      await changeHost(pool, host.hostId, { lend_began: fromNow() });
      await settle(context, 1, id, [report(urls[0]?.url ?? '')]);
      const kept = await role.fetchSlice(host);
      if (loan < turnRequests) expect(kept).toMatchObject({ fetched: 0, next: 'wait', closedBy: 'lent' });
      else expect(kept.fetched).toBe(turnRequests);
    }
    await expectExact(pool, crawl);
  });

  it.each([
    ['reported late', {}],
    ['given back late, and never asked for', { status: null, error: 'not-tried' }],
  ])('of a fetcher ends with a loan that was %s, and ours lasts as long then', async (_, said) => {
    const crawl = await fetching.crawl({ delaySeconds: 0 });
    const { host } = await atWork(crawl, 30);
    const first = await borrow(crawl);
    await settle(context, 1, first?.id ?? '', [report(first?.urls[0]?.url ?? '')]);
    const role = fetching.role({ sliceMs: 10_000 });
    await role.fetchSlice(host);
    await changeHost(pool, host.hostId, { not_before: fromNow(), paced_until: fromNow() });
    const { id = '', urls = [] } = (await borrow(crawl)) ?? {};
    await tables.lentUrl.change(pool, { batch_id: id }, { lent_at: fromNow(-270) });
    await changeHost(pool, host.hostId, { lend_began: fromNow(-270) });
    expect(await settle(context, 1, id, [{ ...report(urls[0]?.url ?? ''), ...said }])).toEqual(['accepted']);
    const row = await hostRow(pool, host.hostId);
    expect(row).toMatchObject({ lent: true, lend_turns: 0, lend_until: null });
    expect(Number(row.ours_until) - Date.now()).toBeGreaterThan(240_000);
    // The fetcher asks again and again, and gets nothing until we had the host for as long.
    const left = fetching.role({ sliceMs: 0 });
    for (let visit = 0; visit < turnRequests + 2; visit++) {
      expect(await borrow(crawl)).toBeNull();
      expect((await left.fetchSlice(host)).fetched).toBe(1);
    }
    expect((await role.fetchSlice(host)).fetched).toBeGreaterThan(turnRequests);
    await fetching.queue(crawl, host, '/x', '/y', '/z', '/zz', '/zzz', '/zzzz', '/zzzzz');
    await changeHost(pool, host.hostId, { ours_until: fromNow(-1) });
    expect((await role.fetchSlice(host)).fetched).toBe(turnRequests);
    await expectExact(pool, crawl);
  });

  it('of a fetcher that does not come ends by itself', async () => {
    const crawl = await fetching.crawl({ delaySeconds: 0 });
    const { host } = await atWork(crawl, 20);
    const first = await borrow(crawl);
    await settle(context, 1, first?.id ?? '', [report(first?.urls[0]?.url ?? '')]);
    const role = fetching.role({ sliceMs: 10_000 });
    await role.fetchSlice(host);
    const kept = await role.fetchSlice(host);
    expect(kept).toMatchObject({ closedBy: 'lent' });
    expect(kept.waitMs).toBeLessThan(10_000);
    await changeHost(pool, host.hostId, { lend_until: fromNow(-1), lend_wanted_until: fromNow(-1) });
    // Nobody wants the host any more: the visit is as long as any.
    expect((await role.fetchSlice(host)).fetched).toBe(14);
  });
});

it('a loan keeps whoever comes later waiting for less than half a minute, however long it was asked for', async () => {
  const crawl = await fetching.crawl({ delaySeconds: 0 });
  const { host } = await atWork(crawl, 1);
  await changeHost(pool, host.hostId, { not_before: fromNow(-60) });
  const wanted = { tenantId: 1, shards: [0], crawlId: String(crawl), fetcherId: 'dead', toldMs: 300_000 };
  const loan = await lend(context, { ...wanted, batchSize: 1 });
  expect(loan?.urls.map(({ origin }) => origin)).toEqual([host.origin]);
  expect(loan?.expiresInMs).toBeLessThanOrEqual(longestLoanMs);
  const newcomer = await fetching.crawl({ delaySeconds: 0 });
  await fetching.queue(newcomer, host, '/mine');
  const { next, waitMs } = await fetching.role().fetchSlice(host);
  expect(next).toBe('wait');
  expect(waitMs + 1_000).toBeLessThan(30_000);
  await leaseEnded(pool, host.hostId);
  await expect
    .poll(async () => {
      await fetching.role().fetchSlice(host);
      return (await fetching.urls(newcomer, host.origin))['/mine']?.state;
    })
    .toBe('done');
  // The report comes too late.
  expect(await settle(context, 1, loan?.id ?? '', [report(loan?.urls[0]?.url ?? '')])).toEqual(['late']);
});
