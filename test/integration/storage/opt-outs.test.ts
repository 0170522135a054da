/**
 * Opt-outs in Postgres (F15): what they exclude, what taking them back queues again, and that every sum stays exact.
 *
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { coveringDomain, hostName, optOutDetail, optOutHoldMs } from '../../../domain/opt-out.ts';
import {
  optOut,
  optOutsAfter,
  takeBackOptOut,
  excludeHostsOptedOut,
  hostsOfDomain,
  loadOptOuts,
  removeOptOut,
  requeueOptedOut,
} from '../../../storage/opt-outs/index.ts';
import { inTransaction, retrying } from '../../../storage/postgres/index.ts';
import { lockCrawls, setCrawlState } from '../../../storage/crawls/index.ts';
import { crawlState, tables, urlStates, waitingForLocks } from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  leased,
  moveCrawl,
  names,
  newHost,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';

const frontier = withFrontier(12);
const { pool } = frontier;

const queue = async (host: number, crawl: number, count: number, over = {}): Promise<void> => {
  const admissions = names(count, `${String(host)}-${String(crawl)}-${String(Math.random())}`).map((url) =>
    admission(host, crawl, url, over),
  );
  await frontier.writer.write({ admissions });
};
const optedOutLinks = { reason: 'opt-out', detail: 'it has opted out' };
const states = (host: number, crawl: number): Promise<Readonly<Record<string, number>>> =>
  urlStates(pool, { host_id: host, crawl_id: crawl });

describe('opting out', () => {
  it.concurrent('excludes what is queued at the domain and below it, in every crawl, at every port, and nothing else', async () => {
    const [one, two] = [await runningCrawl(pool), await runningCrawl(pool)];
    const own = await newHost(pool, 'https://one.example');
    const port = await newHost(pool, 'http://one.example:8080');
    const below = await newHost(pool, 'https://shop.one.example');
    const other = await newHost(pool, 'https://notone.example');
    await queue(own, one, 1_500);
    await queue(own, two, 3);
    await queue(port, one, 2);
    await queue(below, two, 4);
    await queue(other, one, 5);
    await moveCrawl(pool, two, 'paused');
    const startedAt = performance.now();
    expect(await optOut(pool, 'one.example', 'their mail')).toMatchObject({
      domain: 'one.example',
      reason: 'their mail',
      added: true,
      excluded: 1_509,
    });
    // The answer waits until no worker can hold a copy without the entry.
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(optOutHoldMs);
    expect(await states(own, one)).toEqual({ 'excluded:opt-out': 1_500 });
    expect(await states(below, two)).toEqual({ 'excluded:opt-out': 4 });
    expect(await states(other, one)).toEqual({ queued: 5 });
    expect(await expectExact(pool, one)).toMatchObject({ excluded: 1_502, queued: 5, discovered: 1_507 });
    expect(await expectExact(pool, two)).toMatchObject({ excluded: 7, queued: 0 });
  });

  it.concurrent('again changes nothing but what was queued meanwhile', async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool, 'https://twice.example');
    const first = await optOut(pool, 'twice.example', 'first');
    await queue(host, crawl, 2);
    const second = await optOut(pool, 'twice.example', 'second');
    expect(second).toEqual({ ...first, added: false, excluded: 2 });
  });

  it.concurrent('counts what workers exclude while it waits for their copies', async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool, 'https://counted.example');
    await queue(host, crawl, 30);
    const optingOut = optOut(pool, 'counted.example', null);
    await expect
      .poll(async () => (await loadOptOuts(pool, 0))[0]?.domains?.includes('counted.example'))
      .toBe(true);
    const out = JSON.stringify([{ id: host, detail: optOutDetail('counted.example') }]);
    expect(await excludeHostsOptedOut(pool, out, 20)).toHaveLength(20);
    expect(await optingOut).toMatchObject({ excluded: 30 });
  });

  it.concurrent('leaves URLs alone that are leased: their slice excludes them', async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool, 'https://leased.example');
    await queue(host, crawl, 5);
    const token = await takenLease(pool, host);
    const [first] = await leased(pool, host, token, 1);
    expect(await optOut(pool, 'leased.example', null)).toMatchObject({ excluded: 4 });
    expect(await states(host, crawl)).toEqual({ leased: 1, 'excluded:opt-out': 4 });
    if (first === undefined) throw new Error('nothing was leased');
    await frontier.writer.write({ results: [result(first, 'done')] });
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 1, excluded: 4, leased: 0 });
  });

  it('raises the revision with every change, and lets the list be read as a whole', async () => {
    const before = (await loadOptOuts(pool, 0))[0]?.revision ?? 0;
    await Promise.all(['a.rev.example', 'b.rev.example'].map((domain) => optOut(pool, domain, null)));
    const [list] = await loadOptOuts(pool, before);
    expect(list?.revision).toBe(before + 2);
    expect(list?.domains).toEqual(expect.arrayContaining(['a.rev.example', 'b.rev.example']));
    expect(await loadOptOuts(pool, before + 2)).toEqual([{ revision: before + 2, domains: null }]);
    expect(await removeOptOut(pool, 'nobody.rev.example')).toEqual([]);
    expect(await loadOptOuts(pool, before + 2)).toEqual([{ revision: before + 2, domains: null }]);
  });

  it('is listed by name, page by page', async () => {
    const all: string[] = [];
    for (let after: string | null = null; ;) {
      const page = await optOutsAfter(pool, after, 2);
      all.push(...page.map(({ domain }) => domain));
      if (page.length < 2) break;
      after = page.at(-1)?.domain ?? null;
    }
    expect(all).toEqual((await tables.optOut.rows(pool)).map(({ domain }) => domain).sort());
  });

  it('finds the same hosts in Postgres as the rule does', async () => {
    const crawl = await runningCrawl(pool);
    const hosts = [
      ...['a.test', 'b.a.test', 'c.b.a.test', 'ba.test', 'a.test.b', 'a-b.test', 'test', 'x_y.a.test'],
      ...['1.2.3.4', '11.2.3.4', '[::1]', '[2001:db8::1]', 'xn--bcher-kva.test', 'a%test'],
    ];
    const origins = hosts.flatMap((host) => [`http://${host}`, `https://${host}:8443`]);
    for (const origin of origins) await queue(await newHost(pool, origin), crawl, 1);
    const domains = ['a.test', 'b.a.test', 'test', 'a_test', '1.2.3.4', '[::1]', '%', 'nothing.test'];
    for (const domain of domains) {
      const found = (await hostsOfDomain(pool, domain)).map(({ origin }) => origin);
      const listed = new Set([domain]);
      const right = origins.filter((origin) => coveringDomain(hostName(origin), listed) !== null);
      expect(found.sort(), domain).toEqual(right.sort());
    }
  });

  it('stays exact while others admit, lease and commit at the same host', async () => {
    const { writer } = frontier;
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool, 'https://busy.example');
    const token = await takenLease(pool, host);
    const admitting = async (): Promise<void> => {
      for (let round = 0; round < 12; round++) await queue(host, crawl, 40);
    };
    const fetching = async (): Promise<void> => {
      for (let round = 0; round < 12; round++) {
        const rows = await leased(pool, host, token, 10);
        await writer.write({ results: rows.map((row) => result(row, 'done')) });
      }
    };
    let going = true;
    const out = JSON.stringify([{ id: host, detail: 'busy' }]);
    const sweeping = async (): Promise<void> => {
      while (going) await retrying(() => excludeHostsOptedOut(pool, out, 25));
    };
    const sweeps = [sweeping(), sweeping()];
    await Promise.all([admitting(), admitting(), fetching()]);
    going = false;
    await Promise.all(sweeps);
    const ledger = await expectExact(pool, crawl);
    expect(ledger).toMatchObject({ discovered: 960, leased: 0 });
    expect(ledger.excluded).toBeGreaterThan(0);
  });
});

describe('taking an opt-out back', () => {
  it.concurrent('queues again what it excluded, swept or found meanwhile, in crawls that are open', async () => {
    const [open, paused, over, ending] = [
      await runningCrawl(pool),
      await runningCrawl(pool),
      await runningCrawl(pool),
      await runningCrawl(pool),
    ];
    const host = await newHost(pool, 'https://back.example');
    for (const crawl of [open, paused, over, ending]) await queue(host, crawl, 3);
    await queue(host, open, 1, { reason: 'depth', detail: 'too deep' });
    await optOut(pool, 'back.example', null);
    await queue(host, open, 2, optedOutLinks);
    await moveCrawl(pool, paused, 'paused');
    await moveCrawl(pool, over, 'finished');
    await moveCrawl(pool, ending, 'draining');
    expect(await takeBackOptOut(pool, 'back.example')).toEqual({
      domain: 'back.example',
      queued: 8,
      more: false,
    });
    expect(await states(host, open)).toEqual({ queued: 5, 'excluded:depth': 1 });
    expect(await states(host, paused)).toEqual({ queued: 3 });
    expect(await states(host, over)).toEqual({ 'excluded:opt-out': 3 });
    expect(await states(host, ending)).toEqual({ 'excluded:opt-out': 3 });
    for (const crawl of [open, paused, over, ending]) await expectExact(pool, crawl);
    expect(await crawlState(pool, over)).toBe('finished');
    expect(await takeBackOptOut(pool, 'back.example')).toBeNull();
  });

  it.concurrent('leaves excluded what another entry still covers', { tags: ['long'] }, async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool, 'https://www.nested.example');
    await queue(host, crawl, 3);
    await Promise.all(['nested.example', 'www.nested.example'].map((domain) => optOut(pool, domain, null)));
    expect(await takeBackOptOut(pool, 'nested.example')).toMatchObject({
      domain: 'nested.example',
      queued: 0,
    });
    expect(await states(host, crawl)).toEqual({ 'excluded:opt-out': 3 });
    expect(await takeBackOptOut(pool, 'www.nested.example')).toMatchObject({ queued: 3 });
  });

  it.concurrent('is finished by the next one where it was cut off in between', async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool, 'https://cut.example');
    await queue(host, crawl, 3);
    await optOut(pool, 'cut.example', null);
    await removeOptOut(pool, 'cut.example');
    expect(await takeBackOptOut(pool, 'cut.example')).toMatchObject({ domain: 'cut.example', queued: 3 });
  });

  it('keeps the limit of a crawl for the host, the best first', async () => {
    const crawl = await runningCrawl(pool, { maxPagesPerHost: 10 });
    const host = await newHost(pool);
    await queue(host, crawl, 6, { host_limit: 10 });
    // What is found while the host is opted out is recorded, and held against no limit.
    await queue(host, crawl, 20, { ...optedOutLinks, host_limit: 10, priority: 0.9 });
    await queue(host, crawl, 20, { ...optedOutLinks, host_limit: 10, priority: 0.1 });
    expect(await requeueOptedOut(pool, String(host), 3)).toHaveLength(3);
    expect(await requeueOptedOut(pool, String(host), 3)).toHaveLength(1);
    expect(await requeueOptedOut(pool, String(host), 100)).toHaveLength(0);
    expect(await states(host, crawl)).toEqual({ queued: 10, 'excluded:opt-out': 36 });
    const queued = await tables.url.rows(pool, { crawl_id: crawl, state: 'queued' });
    expect(queued.filter(({ priority }) => priority > 0.8)).toHaveLength(4);
    await expectExact(pool, crawl);
  });

  it('queues nothing in a crawl that ends at the same moment', async () => {
    const crawl = await runningCrawl(pool);
    const host = await newHost(pool);
    await queue(host, crawl, 3, optedOutLinks);
    const requeueing: Promise<readonly object[]>[] = [];
    await inTransaction(pool, async (db) => {
      await lockCrawls(db, [crawl]);
      requeueing.push(requeueOptedOut(pool, String(host), 100));
      // Asked within the transaction, which Postgres ends where it lies still for long.
      await expect.poll(() => waitingForLocks(db)).toBe(1);
      await setCrawlState(db, crawl, 'finished', 'complete', 'complete');
    });
    expect((await Promise.all(requeueing)).flat()).toEqual([]);
    expect(await states(host, crawl)).toEqual({ 'excluded:opt-out': 3 });
  });
});
