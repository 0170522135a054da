/** Who may put back what a crash left leased: whoever holds the host's lease, and nobody who only once did. */
import { beforeEach, expect, it } from 'vitest';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { auditCrawl } from '../../../storage/reports/index.ts';
import { reclaimPaused, reclaimUrls } from '../../../storage/frontier/index.ts';
import { renewLeases, takeLease } from '../../../storage/leases/index.ts';
import { changeHost, fromNow, leaseEnded, tables } from '../../support/database/index.ts';
import { hostOfCrawl, leased, takenLease, withFrontier } from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;
let host: number;
let crawl: number;
beforeEach(async () => {
  ({ host, crawl } = await hostOfCrawl(frontier));
});

const expire = () => leaseEnded(pool, host);
const states = async (): Promise<string[]> =>
  (await tables.url.rows(pool, { host_id: host })).map(({ state }) => state);

it('the next holder puts back all that was left', async () => {
  await leased(pool, host, await takenLease(pool, host), 3);
  await expire();
  expect(await reclaimUrls(pool, String(host), await takenLease(pool, host))).toHaveLength(3);
  expect(await states()).toEqual(['queued', 'queued', 'queued']);
});

it('a holder that wakes up after it was taken over touches nothing of its successor', async () => {
  const frozen = await takenLease(pool, host);
  await expire();
  const token = await takenLease(pool, host);
  await leased(pool, host, token, 3);
  expect(await reclaimUrls(pool, String(host), frozen)).toEqual([]);
  expect(await states()).toEqual(['leased', 'leased', 'leased']);
});

it('not even one that looked before its successor took what it saw', async () => {
  await leased(pool, host, await takenLease(pool, host), 3);
  await expire();
  const slow = await takenLease(pool, host);
  // The successor has put everything back and leased it again, and has not committed yet when the slow one looks.
  let reclaimed: Promise<unknown> = Promise.resolve();
  await inTransaction(pool, async (db) => {
    const token = slow + 1_000_000;
    await changeHost(db, host, { lease_token: token });
    await tables.url.change(db, { host_id: host }, { lease_token: token });
    reclaimed = reclaimUrls(pool, String(host), slow);
    await new Promise((wake) => setTimeout(wake, 100));
  });
  expect(await reclaimed).toEqual([]);
  expect(await states()).toEqual(['leased', 'leased', 'leased']);
});

it('what a killed worker left at a paused host is queued again, and its next holder told of it', async () => {
  await leased(pool, host, await takenLease(pool, host), 3);
  expect(await reclaimPaused(pool, 10)).toEqual([]);
  await changeHost(pool, host, { paused_at: fromNow(), paused_reason: 'a rest' });
  // Its worker may be alive as long as the lease is.
  expect(await reclaimPaused(pool, 10)).toEqual([]);
  await expire();
  expect(await reclaimPaused(pool, 10)).toHaveLength(3);
  expect(await states()).toEqual(['queued', 'queued', 'queued']);
  expect((await auditCrawl(pool, String(crawl)))?.differences).toEqual([]);
  expect(await reclaimPaused(pool, 10)).toEqual([]);
  const [next] = await takeLease(pool, String(host), 60_000);
  expect(next).toMatchObject({ unclean: true });
});

it('a worker that was frozen at a host that was paused meanwhile cannot go on with what it had', async () => {
  const frozen = await takenLease(pool, host);
  await leased(pool, host, frozen, 3);
  await changeHost(pool, host, { paused_at: fromNow() });
  await expire();
  await reclaimPaused(pool, 10);
  const renewed = await renewLeases(pool, JSON.stringify([{ id: host, token: frozen }]), 60_000);
  expect(renewed).toEqual([{ token: frozen, lost: true }]);
  expect(await states()).toEqual(['queued', 'queued', 'queued']);
});
