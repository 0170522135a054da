/** Every statement of storage/ can be prepared against the schema that the migrations make. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import { allStatements } from '../../support/statements.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
let pool: Pool;
beforeAll(async () => {
  world = await createWorld();
  pool = createPool(world.databaseUrl, 1, () => undefined);
});
afterAll(async () => {
  await pool.end();
  await world.close();
});

it('is one that Postgres plans', async () => {
  const wrong: string[] = [];
  const statements = await allStatements();
  for (const { name, text } of statements) {
    // What makes tables is no statement that can be prepared.
    if (/^\s*create /.test(text)) continue;
    await pool.query(`prepare tried as ${text}`).then(
      () => pool.query('deallocate tried'),
      (error: unknown) => wrong.push(`${name}: ${String(error)}`),
    );
  }
  expect(wrong).toEqual([]);
  expect(statements.length).toBeGreaterThanOrEqual(230);
});
