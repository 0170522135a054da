/** Connections of the pool that break while a transaction has them. */
import { expect, it } from 'vitest';
import { createPool, inTransaction } from '../../../storage/postgres/index.ts';
import { dropConnections, otherConnections, tables } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { createWorld } from '../../support/world.ts';

it('one that breaks between two statements fails the transaction, and not the process', async () => {
  const world = await createWorld();
  const [pool, other] = [1, 1].map((size) => createPool(world.databaseUrl, size, () => undefined)) as [
    ReturnType<typeof createPool>,
    ReturnType<typeof createPool>,
  ];
  try {
    const transaction = inTransaction(pool, async (db) => {
      await dropConnections(other);
      await until('the server has ended it', async () => (await otherConnections(other)) === 0);
      // The break is told in a later turn of the event loop than the answer above.
      await new Promise((told) => setTimeout(told, 100));
      await tables.host.rows(db);
    });
    await expect(transaction).rejects.toThrow(/terminat|not queryable|administrator/);
    expect(await tables.host.rows(pool)).toEqual([]);
  } finally {
    await Promise.all([pool.end(), other.end()]);
    await world.close();
  }
});
