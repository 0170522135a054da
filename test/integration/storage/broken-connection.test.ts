/** Connections of the pool that break while a transaction has them. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createPool, inTransaction } from '../../../storage/postgres/index.ts';
import {
  addHost,
  changeHost,
  dropConnections,
  hostRow,
  otherConnections,
  tables,
} from '../../support/database/index.ts';
import { stopped } from '../../support/freezing.ts';
import { until } from '../../support/until.ts';
import { createDatabase } from '../../support/world.ts';

it('one that breaks between two statements fails the transaction, and not the process', async () => {
  const world = await createDatabase();
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

it(
  'a process that is frozen in one holds its rows for seconds only, and changes nothing when it wakes',
  { tags: ['long'] },
  async () => {
    const world = await createDatabase();
    const pool = createPool(world.databaseUrl, 1, () => undefined);
    const origin = 'https://a.example';
    await addHost(pool, origin, {});
    const script = path.join(import.meta.dirname, 'frozen-transaction.ts');
    const frozen = spawn(process.execPath, [script, world.databaseUrl, origin], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const said = text(frozen.stdout);
    try {
      await stopped(frozen.pid);
      // Without an end of its own it would fail after 30 s, as a statement that is stuck.
      await changeHost(pool, origin, { paused_reason: 'awake' });
      frozen.kill('SIGCONT');
      expect(await said).toBe('outage\n');
      expect((await hostRow(pool, origin)).paused_reason).toBe('awake');
    } finally {
      frozen.kill('SIGKILL');
      await pool.end();
      await world.close();
    }
  },
);
