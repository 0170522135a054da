/** What a crawl's own delay changes where its host's turn is put right, and in what the crawl is said to wait for. */
import { beforeEach, expect, it } from 'vitest';
import { outlookOf } from '../../../storage/reports/index.ts';
import { correctTurns } from '../../../storage/feeding/index.ts';
import { changeHost, fromNow, tables } from '../../support/database/index.ts';
import { hostOfCrawl, withFrontier } from './frontier.ts';

const frontier = withFrontier();
const { pool } = frontier;
let host: number;
let crawl: number;
beforeEach(async () => {
  ({ host, crawl } = await hostOfCrawl(frontier, { delaySeconds: 40 }));
  await changeHost(pool, host, { known_at: fromNow(), asked_at: fromNow(), base_delay_ms: 1_000 });
  await turnHasCome();
});

/** The host's turn is noted for now, too early perhaps. */
const turnHasCome = () => tables.queue.change(pool, { host_id: host }, { turn_at: fromNow(-1) });

/** The crawl may ask the host in so many seconds, by its own delay; judged by its settings as they are, or were. */
const ownTurn = async (seconds: number, edited = false): Promise<void> => {
  const { config_version: version } = await tables.crawl.row(pool, { id: crawl });
  const turn = { own_turn_at: fromNow(seconds), turn_version: version - Number(edited) };
  await tables.queue.change(pool, { host_id: host }, turn);
};

/** Seconds until the host has its turn for the crawl, once that was put right. */
async function correctedTurn(): Promise<number> {
  await correctTurns(pool, JSON.stringify([{ host_id: host, crawl_id: crawl }]));
  const turn = await tables.queue.row(pool, { host_id: host });
  expect(turn.known).toBe(true);
  return turn.turn_at_ms / 1_000;
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
  const outlook = await outlookOf(pool, String(crawl), 5, false);
  expect(outlook).toMatchObject({ waiting: { hosts: 1, items: [{ why: 'delay', queued: 3 }] } });
  const until = Date.parse(outlook?.waiting.items[0]?.until ?? '');
  expect(Math.abs(until - Date.now() - 600_000)).toBeLessThan(60_000);
  await ownTurn(600, true);
  expect(await outlookOf(pool, String(crawl), 5, false)).toMatchObject({ waiting: { hosts: 0, items: [] } });
});

it('what is left of a crawl is counted by the longer of both delays', async () => {
  await ownTurn(0);
  const left = async () => (await outlookOf(pool, String(crawl), 5, false))?.eta?.seconds;
  expect(await left()).toBeCloseTo(120, 0);
  await changeHost(pool, host, { base_delay_ms: 90_000 });
  expect(await left()).toBeCloseTo(270, 0);
});
