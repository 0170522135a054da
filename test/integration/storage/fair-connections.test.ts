/** The connections of a pool that tenants share (api/way-in/tenant-at-work.ts). */
import { expect, it } from 'vitest';
import { connectionTurns, forTenant } from '../../../api/way-in/tenant-at-work.ts';
import { createPool, inTransaction } from '../../../storage/postgres/index.ts';
import { askSlowly } from '../../support/database/index.ts';
import { withDatabase } from '../../support/world.ts';

const world = withDatabase();

it('one tenant has half of them at most, however many statements it has open, and gives them back', async () => {
  const pool = createPool(world.databaseUrl, 8, () => undefined, { turn: connectionTurns(8, 60_000) });
  try {
    const held = Promise.withResolvers<undefined>();
    let open = 0;
    const statements = Array.from({ length: 12 }, () =>
      forTenant(1, () =>
        inTransaction(pool, async () => {
          open++;
          await held.promise;
        }),
      ),
    );
    await expect.poll(() => open).toBe(4);
    // Other tenants, and work of nobody, go on.
    await forTenant(2, () => Promise.all([askSlowly(pool), askSlowly(pool), askSlowly(pool)]));
    await Promise.all([askSlowly(pool), askSlowly(pool), askSlowly(pool), askSlowly(pool)]);
    expect(open).toBe(4);
    held.resolve(undefined);
    await Promise.all(statements);
    expect(open).toBe(12);
  } finally {
    await pool.end();
  }
});

it('who waits too long is told that it is the tenant’s own doing, and the next one has its turn', async () => {
  const pool = createPool(world.databaseUrl, 4, () => undefined, { turn: connectionTurns(4, 50) });
  try {
    const held = await Promise.all([1, 2].map(() => forTenant(1, () => pool.connect())));
    await expect(forTenant(1, () => askSlowly(pool))).rejects.toMatchObject({
      status: 503,
      extras: { kind: 'busy' },
    });
    for (const client of held) client.release();
    await forTenant(1, () => askSlowly(pool));
  } finally {
    await pool.end();
  }
});
