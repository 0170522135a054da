/**
 * Several processes share the permits of a group by its books in Postgres (F05).
 *
 * @module-tag long
 */
import pino from 'pino';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { permitsOf, type Cap } from '../../../domain/caps.ts';
import { PermitKeeper, type Pass } from '../../../engine/caps/permit-keeper.ts';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import { mostTogether, mostWithin } from '../../web/crowd.ts';
import { tables } from '../../support/database/index.ts';
import { withDatabase, withPool } from '../../support/world.ts';

const world = withDatabase();
const pool = withPool(world, 6);

const log = pino({ level: 'silent' });
const { signal } = new AbortController();
const patient = { ms: 600_000, stays: () => Promise.resolve(true), signal };

function process(leaseMs = 60_000, own: Pool = pool): PermitKeeper {
  const keeper = new PermitKeeper(own, leaseMs, log);
  onTestFinished(() => keeper.close());
  return keeper;
}

async function pass(keeper: PermitKeeper, name: string, cap: Cap, host = '1'): Promise<Pass> {
  const entered = await keeper.enter({ name, cap, permits: permitsOf(cap) }, host, patient);
  if (entered === null || 'waitMs' in entered) throw new Error('not let in');
  return entered;
}

interface Sent {
  readonly keeper: number;
  readonly host: number;
  readonly start: number;
  readonly end: number;
}

/** Hosts at each process send one request after another, of 30 ms each, until there are `requests`. */
async function crawl(
  keepers: readonly PermitKeeper[],
  name: string,
  cap: Cap,
  hosts: number,
  requests: number,
) {
  const sent: Sent[] = [];
  const visit = async (keeper: number, host: number): Promise<void> => {
    const at = keepers[keeper];
    while (at !== undefined && sent.length < requests) {
      const entered = await pass(at, name, cap, String(100 * keeper + host));
      expect(entered.mayLeave()).toBe(true);
      const start = performance.now();
      await delay(30);
      const end = performance.now();
      sent.push({ keeper, host, start, end });
      entered.over(start);
    }
  };
  await Promise.all(
    keepers.flatMap((_, keeper) => Array.from({ length: hosts }, (__, host) => visit(keeper, host))),
  );
  return sent;
}

describe('two processes', () => {
  it.each([
    ['a few permits', { rate: 6, inFlight: null }, 20],
    ['short rests', { rate: 12, inFlight: 2 }, 20],
    ['permits that need no books', { rate: 16, inFlight: null }, 48],
  ])('keep a cap together, and every host gets its turns: %s', async (what, cap, requests) => {
    const keepers = [process(), process()];
    const sent = await crawl(keepers, what, cap, 5, requests);
    expect(mostWithin(sent, 1_000)).toBeLessThanOrEqual(cap.rate);
    expect(mostTogether(sent)).toBeLessThanOrEqual(cap.inFlight ?? cap.rate);
    const turns = new Map<string, number>();
    for (const { keeper, host } of sent) {
      const key = `${String(keeper)} ${String(host)}`;
      turns.set(key, (turns.get(key) ?? 0) + 1);
    }
    expect(turns.size).toBe(10);
  });

  it('let a single slow permit go round', async () => {
    const cap = { rate: 0.999, inFlight: null };
    const sent = await crawl([process(), process()], 'slow', cap, 2, 3);
    expect(mostTogether(sent)).toBe(1);
    expect(mostWithin(sent, 1_000)).toBe(1);
    expect(new Set(sent.map(({ keeper }) => keeper)).size).toBe(2);
  });
});

it('a host that is alone needs no books', async () => {
  const keeper = process();
  const sent = await crawl([keeper], 'alone', { rate: 20, inFlight: null }, 1, 1);
  expect(sent).toHaveLength(1);
  expect(await tables.permitGroup.count(pool, { name: 'alone' })).toBe(0);
});

it('a seat that was not committed is none', async () => {
  const its = createPool(world.databaseUrl, 1, () => undefined);
  onTestFinished(() => its.end());
  // Its transactions roll back, as when Postgres is lost before they are committed.
  its.on('connect', (client) => {
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    client.query = ((...all: unknown[]) =>
      all[0] === 'commit'
        ? Promise.reject(new Error('lost before the commit'))
        : query(...all)) as typeof client.query;
  });
  const keeper = process(60_000, its);
  const cap = { rate: 20, inFlight: null };
  for (let turn = 0; turn < 2; turn++) {
    const asked = { name: 'no seat', cap, permits: permitsOf(cap) };
    const entered = await keeper.enter(asked, '1', { ...patient, ms: 1_500 });
    expect(entered).toMatchObject({ waitMs: expect.any(Number) as number });
  }
});

it('what a killed process had counts until its lease has run out, and rests once more', async () => {
  const cap = { rate: 2, inFlight: null };
  const leaseMs = 4_000;
  const its = createPool(world.databaseUrl, 1, () => undefined);
  const killed = process(leaseMs, its);
  const before = performance.now();
  const had = await Promise.all([pass(killed, 'killed', cap), pass(killed, 'killed', cap)]);
  expect(had.map((one) => one.mayLeave())).toEqual([true, true]);
  // It renews nothing, and gives nothing back.
  await its.end();

  const other = process(leaseMs);
  const next = await pass(other, 'killed', cap);
  expect(performance.now() - before).toBeGreaterThanOrEqual(leaseMs + permitsOf(cap).restMs);
  expect(next.mayLeave()).toBe(true);
  // It would send nothing if it lived after all.
  expect(had.map((one) => one.mayLeave())).toEqual([false, false]);
});

it('a request that fails while it waits takes no permit with it', async () => {
  const cap = { rate: 0.9, inFlight: null };
  const keeper = process();
  const first = await pass(keeper, 'failing', cap);
  const failing = { ...patient, stays: () => Promise.reject(new Error('Postgres is away')) };
  await expect(keeper.enter({ name: 'failing', cap, permits: permitsOf(cap) }, '2', failing)).rejects.toThrow(
    'Postgres is away',
  );
  first.over(performance.now());
  expect((await pass(keeper, 'failing', cap, '3')).mayLeave()).toBe(true);
});

it('a process that gave its request up holds back nobody', async () => {
  const cap = { rate: 0.9, inFlight: null };
  const [one, other] = [process(), process()];
  const held = await pass(one, 'given up', cap);
  const impatient = { ...patient, stays: () => Promise.resolve(false) };
  expect(await other.enter({ name: 'given up', cap, permits: permitsOf(cap) }, '2', impatient)).toBeNull();
  held.over(performance.now());
  // It gives the permit back for the other process, and gets it again once that wants none.
  for (let turn = 0; turn < 4; turn++) {
    const next = await pass(one, 'given up', cap);
    await delay(30);
    next.over(performance.now());
  }
});

it('who has no patience is told when to come back, each a little later than the one before', async () => {
  const cap = { rate: 0.1, inFlight: null };
  const keeper = process();
  const first = await pass(keeper, 'busy', cap);
  const hurry = { ...patient, ms: 10 };
  const later = async (host: string): Promise<number> => {
    const entered = await keeper.enter({ name: 'busy', cap, permits: permitsOf(cap) }, host, hurry);
    if (entered === null || !('waitMs' in entered)) throw new Error('let in');
    return entered.waitMs;
  };
  void keeper.enter({ name: 'busy', cap, permits: permitsOf(cap) }, '9', { ...patient, ms: 60_000 });
  const waits = [await later('2'), await later('3'), await later('4')];
  for (const [at, waitMs] of waits.entries()) {
    expect(waitMs).toBeGreaterThan(9_000 * (at + 1));
  }
  first.over(performance.now());
});
