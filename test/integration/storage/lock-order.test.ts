/**
 * The order of locks (storage/frontier/queue-locks.ts): whoever changes URLs takes the queues of their hosts first, so that no
 * two writers ever wait for each other. Each test holds a queue, lets a writer come and wait for it, and then looks at
 * the very URL which that writer is about to change.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Pool, Queryable } from '../../../storage/postgres/index.ts';
import {
  admitUrls,
  commitResults,
  leaseUrls,
  lockHostQueues,
  returnUrls,
} from '../../../storage/frontier/index.ts';
import { letOthersAsk } from '../../../storage/feeding/index.ts';
import { addTenant, changeHost, fromNow, tables, waitingForLocks } from '../../support/database/index.ts';
import {
  admission,
  expectExact,
  leased,
  newHost,
  openFrontier,
  result,
  runningCrawl,
  takenLease,
  type Frontier,
} from './frontier.ts';

let frontier: Frontier;
let pool: Pool;
let crawl: number;
let host: number;
let token: number;
beforeAll(async () => {
  frontier = await openFrontier();
  ({ pool } = frontier);
});
afterAll(() => frontier.close());
beforeEach(async () => {
  crawl = await runningCrawl(pool);
  host = await newHost(pool);
  token = await takenLease(pool, host);
});

const url = 'https://x.example/wanted';
const wanted = (): ReturnType<typeof admission> => admission(host, crawl, url);

/** Resolves once somebody waits for a lock in this database. Asked by who holds one: Postgres ends a transaction that lies still. */
async function untilSomebodyWaits(holder: Queryable): Promise<void> {
  await expect.poll(() => waitingForLocks(holder)).toBeGreaterThan(0);
}

/** Runs `writer` against a reader of pages that holds the queue and then finds a link to the URL `writer` changes. */
async function meet(writer: () => Promise<unknown>): Promise<void> {
  const reader = await pool.connect();
  try {
    await reader.query('begin');
    await reader.query(`set local deadlock_timeout = '10s'`);
    await lockHostQueues(reader, JSON.stringify([{ host_id: host, crawl_id: crawl }]));
    const written = writer();
    await untilSomebodyWaits(reader);
    // Waits for the writer, where that holds the URL already; the writer waits for the queue.
    await reader.query(`set local lock_timeout = '2s'`);
    await admitUrls(reader, [wanted()]);
    await reader.query('commit');
    await written;
  } finally {
    reader.release();
  }
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
  const reader = await pool.connect();
  try {
    await reader.query('begin');
    await reader.query(`set local deadlock_timeout = '10s'`);
    await lockHostQueues(reader, JSON.stringify([{ host_id: host, crawl_id: crawl }]));
    const asking = letOthersAsk(pool, 0);
    await untilSomebodyWaits(reader);
    await reader.query(`set local lock_timeout = '2s'`);
    await lockHostQueues(reader, JSON.stringify([{ host_id: host, crawl_id: theirs }]));
    await reader.query('commit');
    expect(await asking).toMatchObject([{ id: host, fed: false }]);
  } finally {
    reader.release();
  }
  expect((await tables.queue.row(pool, { crawl_id: theirs })).held_until_ms).toBeGreaterThan(3_000_000);
  expect((await tables.queue.row(pool, { crawl_id: crawl })).held_until_ms).toBeLessThan(0);
});
