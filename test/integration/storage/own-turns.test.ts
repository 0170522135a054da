/** What a crawl's own delay changes where its host's turn is put right, and in what the crawl is said to wait for. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Pool } from '../../../storage/postgres/index.ts';
import { outlookOf } from '../../../storage/reports/index.ts';
import { correctTurns } from '../../../storage/feeding/index.ts';
import { admission, newHost, openFrontier, runningCrawl, type Frontier } from './frontier.ts';

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
  crawl = await runningCrawl(pool, { delaySeconds: 40 });
  const admissions = ['/a', '/b', '/c'].map((path) => admission(host, crawl, `http://own.example${path}`));
  await frontier.writer.write({ admissions });
  await pool.query(`update host set known_at = now(), asked_at = now(), base_delay_ms = 1000 where id = $1`, [
    host,
  ]);
  await turnHasCome();
});

/** The host's turn is noted for now, too early perhaps. */
const turnHasCome = () =>
  pool.query(`update host_queue set turn_at = now() - interval '1 second' where host_id = $1`, [host]);

/** The crawl may ask the host in so many seconds, by its own delay; judged by its settings as they are, or were. */
const ownTurn = (seconds: number, edited = false) =>
  pool.query(
    `update host_queue q set own_turn_at = now() + $2 * interval '1 second',
                             turn_version = (select config_version from crawl where id = q.crawl_id) - $3::int
      where host_id = $1`,
    [host, seconds, Number(edited)],
  );

/** Seconds until the host has its turn for the crawl, once that was put right. */
async function correctedTurn(): Promise<number> {
  await correctTurns(pool, JSON.stringify([{ host_id: host, crawl_id: crawl }]));
  const { rows } = await pool.query<{ seconds: number; known: boolean }>(
    `select extract(epoch from turn_at - now())::float8 as seconds, known from host_queue where host_id = $1`,
    [host],
  );
  expect(rows[0]?.known).toBe(true);
  return rows[0]?.seconds ?? NaN;
}

it('a host whose only crawl waits for its own delay gets its turn then, looked at within ten seconds', async () => {
  await ownTurn(7);
  const soon = await correctedTurn();
  expect(soon).toBeGreaterThan(3.5);
  expect(soon).toBeLessThanOrEqual(7);
  await turnHasCome();
  await ownTurn(3_600);
  const late = await correctedTurn();
  expect(late).toBeGreaterThan(7);
  expect(late).toBeLessThanOrEqual(10);
});

it('a turn that has come, and one that was measured under other settings, stay as they are', async () => {
  await ownTurn(-1);
  expect(await correctedTurn()).toBeLessThan(0);
  await ownTurn(3_600, true);
  expect(await correctedTurn()).toBeLessThan(0);
});

it('a crawl waits for its own delay where that is long, until it may ask', async () => {
  await ownTurn(600);
  const outlook = await outlookOf(pool, String(crawl), 5);
  expect(outlook).toMatchObject({ waiting: { hosts: 1, items: [{ why: 'delay', queued: 3 }] }, left: null });
  const until = Date.parse(outlook?.waiting.items[0]?.until ?? '');
  expect(Math.abs(until - Date.now() - 600_000)).toBeLessThan(60_000);
  await ownTurn(600, true);
  expect(await outlookOf(pool, String(crawl), 5)).toMatchObject({ waiting: { hosts: 0, items: [] } });
});

it('what is left of a crawl is counted by the longer of both delays', async () => {
  await ownTurn(0);
  const left = async () => (await outlookOf(pool, String(crawl), 5))?.left;
  expect(await left()).toMatchObject({ delaySeconds: 40, seconds: 120, queued: 3 });
  await pool.query('update host set base_delay_ms = 90000 where id = $1', [host]);
  expect(await left()).toMatchObject({ delaySeconds: 90, seconds: 270 });
});
