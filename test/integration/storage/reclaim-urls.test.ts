/** Who may put back what a crash left leased: whoever holds the host's lease, and nobody who only once did. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Pool } from '../../../storage/postgres/index.ts';
import { auditCrawl } from '../../../storage/reports/index.ts';
import { reclaimPaused, reclaimUrls } from '../../../storage/frontier/index.ts';
import { renewLeases, takeLease } from '../../../storage/leases/index.ts';
import {
  admission,
  leased,
  newHost,
  openFrontier,
  runningCrawl,
  takenLease,
  type Frontier,
} from './frontier.ts';

let frontier: Frontier;
let pool: Pool;
let host: number;
let crawl: number;

beforeAll(async () => {
  frontier = await openFrontier();
  ({ pool } = frontier);
});
afterAll(() => frontier.close());
beforeEach(async () => {
  host = await newHost(pool);
  crawl = await runningCrawl(pool);
  const admissions = ['/a', '/b', '/c'].map((path) => admission(host, crawl, `http://left.example${path}`));
  await frontier.writer.write({ admissions });
});

const expire = () =>
  pool.query(`update host set lease_until = now() - interval '1 second' where id = $1`, [host]);
const states = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ state: string }>('select state from url where host_id = $1', [host]);
  return rows.map(({ state }) => state);
};

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
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ token: number }>(
      `update host set lease_token = nextval('lease_token') where id = $1 returning lease_token as token`,
      [host],
    );
    await client.query('update url set lease_token = $2 where host_id = $1', [host, rows[0]?.token]);
    const reclaimed = reclaimUrls(pool, String(host), slow);
    await new Promise((wake) => setTimeout(wake, 100));
    await client.query('commit');
    expect(await reclaimed).toEqual([]);
  } finally {
    client.release();
  }
  expect(await states()).toEqual(['leased', 'leased', 'leased']);
});

it('what a killed worker left at a paused host is queued again, and its next holder told of it', async () => {
  await leased(pool, host, await takenLease(pool, host), 3);
  expect(await reclaimPaused(pool, 10)).toEqual([]);
  await pool.query(`update host set paused_at = now(), paused_reason = 'a rest' where id = $1`, [host]);
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
  await pool.query('update host set paused_at = now() where id = $1', [host]);
  await expire();
  await reclaimPaused(pool, 10);
  expect(await renewLeases(pool, JSON.stringify([{ id: host, token: frozen }]), 60_000)).toEqual([]);
  expect(await states()).toEqual(['queued', 'queued', 'queued']);
});
