/**
 * The order of locks (storage/frontier/queue-locks.ts): whoever changes URLs takes the queues of their hosts first, so that no
 * two writers ever wait for each other. Each test holds a queue, lets a writer come and wait for it, and then looks at
 * the very URL which that writer is about to change.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { inTransaction, transactOnce, type Queryable } from '../../../storage/postgres/index.ts';
import {
  admitUrls,
  commitResults,
  excludeQueued,
  leaseUrls,
  lockHostQueues,
  reclaimPaused,
  reclaimUrls,
  returnUrls,
} from '../../../storage/frontier/index.ts';
import { dropHost, parkHost, unparkHost } from '../../../storage/hosts/index.ts';
import { excludeHostsOptedOut, requeueOptedOut } from '../../../storage/opt-outs/index.ts';
import { requeueLostBodies } from '../../../storage/pages/index.ts';
import { letOthersAsk, markSpent, unfeedHosts } from '../../../storage/feeding/index.ts';
import {
  addTenant,
  changeHost,
  fromNow,
  hostRow,
  tables,
  waitingForLocks,
  type HostColumns,
  type UrlColumns,
} from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  keyOf,
  leased,
  newHost,
  result,
  runningCrawl,
  takenLease,
  withFrontier,
} from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;
let crawl: number;
let host: number;
let token: number;
beforeEach(async () => {
  crawl = await runningCrawl(pool);
  host = await newHost(pool);
  token = await takenLease(pool, host);
});

const url = 'https://x.example/wanted';
const bodies = (): string => JSON.stringify([{ crawl_id: crawl, key: keyOf(url), hash: '00' }]);
const wanted = (): ReturnType<typeof admission> => admission(host, crawl, url);

/** Resolves once somebody waits for a lock in this database. Asked by who holds one: Postgres ends a transaction that lies still. */
async function untilSomebodyWaits(holder: Queryable): Promise<void> {
  await expect.poll(() => waitingForLocks(holder)).toBeGreaterThan(0);
}

/** Runs `writer` against one that holds the queue, and that then does `more`. */
async function against<T>(
  writer: () => Promise<T>,
  more: (holder: Queryable) => Promise<unknown>,
): Promise<T> {
  let written: Promise<T> | undefined;
  // The holder looks for a circle before the writer does, so it is the one that fails, and it is not tried again.
  await transactOnce(pool, async (holder) => {
    await holder.query(`set local deadlock_timeout = '100ms'`);
    await lockHostQueues(holder, JSON.stringify([{ host_id: host, crawl_id: crawl }]));
    written = writer();
    await untilSomebodyWaits(holder);
    // Waits for the writer, where that has what it wants already; the writer waits for the queue.
    await holder.query(`set local lock_timeout = '2s'`);
    await more(holder);
  });
  if (written === undefined) throw new Error('nothing was written');
  return written;
}

/** Runs `writer` against a reader of pages that then finds a link to the URL `writer` changes. */
async function meet(writer: () => Promise<unknown>): Promise<void> {
  await against(writer, (reader) => admitUrls(reader, [wanted()]));
  await expectExact(pool, crawl);
}

describe('a reader that holds the queue is never waited for by somebody who holds its URLs', () => {
  it('while URLs are leased', async () => {
    await frontier.writer.write({ admissions: [wanted()] });
    const rooms = JSON.stringify([{ crawl_id: crawl, pages: null, weight: 1 }]);
    await meet(() => leaseUrls(pool, String(host), token, 5, rooms));
  });

  it('while results are committed', async () => {
    await frontier.writer.write({ admissions: [wanted()] });
    const [place] = await leased(pool, host, token, 1);
    if (place === undefined) throw new Error('nothing was leased');
    await meet(() => commitResults(pool, JSON.stringify([result(place, 'done')])));
  });

  it('while leased URLs go back', async () => {
    await frontier.writer.write({ admissions: [wanted()] });
    await leased(pool, host, token, 1);
    await meet(() => returnUrls(pool, String(host), token));
  });

  it('while the same link is admitted by somebody else', async () => {
    await frontier.writer.write({ admissions: [admission(host, crawl, 'https://x.example/known')] });
    await meet(() => admitUrls(pool, [wanted()]));
  });

  const leaseGone = { lease_token: null, lease_until: fromNow(-60) };
  const detail = 'x.example';
  it.each<[string, UrlColumns, HostColumns, () => Promise<unknown>]>([
    [
      'their host is parked',
      { reason: 'timeout' },
      {},
      () => parkHost(pool, String(host), 'timeout: spent', ['timeout']),
    ],
    ['they are dropped', {}, {}, () => dropHost(pool, String(host), 'dropped', 10)],
    [
      'their host has opted out',
      {},
      {},
      () => excludeHostsOptedOut(pool, JSON.stringify([{ id: host, detail }]), 10),
    ],
    [
      'their host is back from an opt-out',
      { state: 'excluded', reason: 'opt-out' },
      {},
      () => requeueOptedOut(pool, String(host), 10),
    ],
    ['their crawl ends', {}, {}, () => excludeQueued(pool, crawl, 'cancelled', 10)],
    [
      'their bodies are lost',
      { state: 'done', stage: 1 },
      {},
      () => requeueLostBodies(pool, String(host), bodies()),
    ],
    ['a crash left them', { state: 'leased' }, {}, () => reclaimUrls(pool, String(host), token)],
    [
      'a crash left them at a paused host',
      { state: 'leased' },
      { paused_at: fromNow(), ...leaseGone },
      () => reclaimPaused(pool, 10),
    ],
  ])('while %s', async (_, ofUrl, ofHost, writer) => {
    await frontier.writer.write({ admissions: [wanted()] });
    await tables.url.change(pool, { host_id: host }, { attempts: 1, ...ofUrl });
    await changeHost(pool, host, { failures: 0, ...ofHost });
    await meet(writer);
  });
});

/** Runs `writer` against one that then takes the host's second queue. */
const inOrder = <T>(theirs: number, writer: () => Promise<T>): Promise<T> =>
  against(writer, (holder) => lockHostQueues(holder, JSON.stringify([{ host_id: host, crawl_id: theirs }])));

it.each<[string, HostColumns, () => Promise<unknown>]>([
  ['is marked as worked', { failures: 1, known_at: null }, () => markSpent(pool, host, crawl)],
  ['is parked', {}, () => parkHost(pool, String(host), 'timeout: spent', ['timeout'])],
  ['is brought back', {}, () => unparkHost(pool, String(host))],
])('queues of a host are taken in their order while it %s', async (_, columns, writer) => {
  const theirs = await runningCrawl(pool);
  // The later one lies before the other in the table.
  await frontier.writer.write({ admissions: [admission(host, theirs, url)] });
  await frontier.writer.write({ admissions: [wanted()] });
  await changeHost(pool, host, { lease_token: null, lease_until: null, ...columns });
  await inOrder(theirs, writer);
});

it('queues of many hosts are taken in their order while the patrol gives the hosts back', async () => {
  const others = await Promise.all(Array.from({ length: 11 }, () => newHost(pool)));
  const places = others.map((id) => ({ host_id: id, crawl_id: crawl }));
  await frontier.writer.write({ admissions: [host, ...others].map((id) => admission(id, crawl, url)) });
  for (const id of [host, ...others]) await changeHost(pool, id, { fed: true });
  await against(
    () => unfeedHosts(pool, 100),
    (holder) => lockHostQueues(holder, JSON.stringify(places)),
  );
  expect(await hostRow(pool, host)).toMatchObject({ fed: false });
});

it('queues of a host are taken in their order while others than the tenant in trouble are let ask', async () => {
  const theirs = await runningCrawl(pool);
  const blamed = await addTenant(pool, 'whose URLs failed');
  await tables.crawl.change(pool, { id: theirs }, { tenant_id: blamed });
  const admissions = [wanted(), admission(host, theirs, url)];
  await frontier.writer.write({ admissions });
  const inTrouble = { failures: 1, not_before: fromNow(3_600), blamed_tenant: blamed };
  await changeHost(pool, host, { ...inTrouble, lease_token: null, lease_until: null });
  await tables.queue.change(pool, { host_id: host }, { turn_at: fromNow(3_600) });
  expect(await inOrder(theirs, () => letOthersAsk(pool, 0))).toMatchObject([{ id: host, fed: false }]);
  expect((await tables.queue.row(pool, { crawl_id: theirs })).held_until_ms).toBeGreaterThan(3_000_000);
  expect((await tables.queue.row(pool, { crawl_id: crawl })).held_until_ms).toBeLessThan(0);
});

it('a transaction that meets another in a circle is run again, and both are done', async () => {
  const hosts = [await newHost(pool), await newHost(pool)];
  const both = Promise.withResolvers<undefined>();
  let begun = 0;
  let runs = 0;
  const change = (order: readonly number[]): Promise<void> =>
    inTransaction(pool, async (db) => {
      runs++;
      const [first = 0, second = 0] = order;
      await changeHost(db, first, { paused_reason: 'first' });
      if (++begun === 2) both.resolve(undefined);
      await both.promise;
      await changeHost(db, second, { paused_reason: 'second' });
    });
  await Promise.all([change(hosts), change(hosts.toReversed())]);
  expect(runs).toBe(3);
});
