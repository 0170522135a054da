/** Every statement of storage/ can be prepared against the schema that the migrations make, and sorts by what it means. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import { plannedNodes } from '../../support/plans.ts';
import { allStatements, type MadeStatement } from '../../support/statements.ts';
import { createWorld, type World } from '../../support/world.ts';

let world: World;
let pool: Pool;
let statements: readonly MadeStatement[];
beforeAll(async () => {
  world = await createWorld();
  pool = createPool(world.databaseUrl, 1, () => undefined);
  // What makes tables is no statement that can be planned.
  statements = (await allStatements()).filter(({ text }) => !/^\s*create /.test(text));
});
afterAll(async () => {
  await pool.end();
  await world.close();
});

it('is one that Postgres plans', async () => {
  const wrong: string[] = [];
  for (const { name, text } of statements) {
    await pool.query(`prepare tried as ${text}`).then(
      () => pool.query('deallocate tried'),
      (error: unknown) => wrong.push(`${name}: ${String(error)}`),
    );
  }
  expect(wrong).toEqual([]);
  expect(statements.length).toBeGreaterThanOrEqual(230);
});

/**
 * `select id::text … order by id` sorts by the column of the answer, the text, in which 10 comes before 9: SQL looks
 * there first. `order by export_job.id` sorts by the number. The plan shows which of the two a statement got.
 */
it('never sorts by the text of a number', async () => {
  const wrong: string[] = [];
  for (const { name, text } of statements) {
    const keys = (await plannedNodes(pool, text)).flatMap((node) => node['Sort Key'] ?? []);
    wrong.push(...keys.filter((key) => /^\(\([\w.]+\)::text\)/.test(key)).map((key) => `${name}: ${key}`));
  }
  expect(wrong).toEqual([]);
});
