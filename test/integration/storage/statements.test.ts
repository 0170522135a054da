/** Every statement of storage/ can be prepared against the schema that the migrations make, and sorts by what it means. */
import { beforeAll, expect, it } from 'vitest';
import { plannedNodes } from '../../support/plans.ts';
import { allStatements, type MadeStatement } from '../../support/statements.ts';
import { withDatabase, withPool } from '../../support/world.ts';

const world = withDatabase();
const pool = withPool(world, 1);
let statements: readonly MadeStatement[];
beforeAll(async () => {
  // What makes tables is no statement that can be planned.
  statements = (await allStatements()).filter(({ text }) => !/^\s*create /.test(text));
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

/** The driver refuses a name that stands for another text on the same connection. */
it('has a name of its own', () => {
  const names = statements.map(({ preparedAs }) => preparedAs);
  expect(names.filter((name, at) => names.indexOf(name) !== at || name.length > 63)).toEqual([]);
});

/**
 * `select id::text … order by id` sorts by the column of the answer, the text, in which 10 comes before 9: SQL looks
 * there first. `order by job.id` sorts by the number. The plan shows which of the two a statement got.
 */
it('never sorts by the text of a number', async () => {
  const wrong: string[] = [];
  for (const { name, text } of statements) {
    const keys = (await plannedNodes(pool, text)).flatMap((node) => node['Sort Key'] ?? []);
    wrong.push(...keys.filter((key) => /^\(\([\w.]+\)::text\)/.test(key)).map((key) => `${name}: ${key}`));
  }
  expect(wrong).toEqual([]);
});
