/** A server that gives fewer connections than the pool may have: max_connections, or the limit of a role. */
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createPool, inTransaction } from '../../../storage/postgres/index.ts';
import { addLimitedRole, askSlowly, type LimitedRole } from '../../support/database/index.ts';
import { withDatabase, withPool } from '../../support/world.ts';

/** What the server gives, and what the pool would like to have. */
const [given, wanted] = [3, 12];

const world = withDatabase();
const pool = withPool(world, 1);
let role: LimitedRole;

beforeAll(async () => {
  role = await addLimitedRole(pool, world.databaseUrl, given);
});
afterAll(async () => {
  await role.drop();
});

it('a pool goes on with those it has, however many ask at once, and says so once', async () => {
  const words: string[] = [];
  const scarce = createPool(role.url, wanted, () => undefined, { onScarce: (said) => words.push(said) });
  try {
    const asked = Array.from({ length: 200 }, (_, at) =>
      at % 2 === 0 ? askSlowly(scarce) : inTransaction(scarce, askSlowly),
    );
    await Promise.all(asked);
    expect(scarce.totalCount).toBe(given);
    expect(words).toEqual([expect.stringMatching(/^Postgres gives no further connection: .*fewer than 12/)]);
  } finally {
    await scarce.end();
  }
});

it('a pool asks for more again after half a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const scarce = createPool(role.url, wanted, () => undefined);
  const askAll = () => Promise.all(Array.from({ length: 100 }, () => askSlowly(scarce)));
  try {
    await askAll();
    await role.give(wanted);
    await askAll();
    expect(scarce.totalCount).toBe(given);
    vi.advanceTimersByTime(30_000);
    await askAll();
    expect(scarce.totalCount).toBe(wanted);
  } finally {
    await scarce.end();
    await role.give(given);
  }
});

it('a pool that has none says what the server said', async () => {
  const first = createPool(role.url, given, () => undefined);
  const second = createPool(role.url, given, () => undefined);
  try {
    await Promise.all(Array.from({ length: given }, () => askSlowly(first)));
    await expect(askSlowly(second)).rejects.toThrow(/too many connections/);
    await first.end();
    await askSlowly(second);
  } finally {
    await second.end();
  }
});
