/**
 * SQL of tests stands in test/support/database, under names that say the effect; a column that changes is then changed
 * there alone. Left out are tests of the schema, of statements and their plans, and of what Postgres or a connection to
 * it does.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const aboutSql = [
  'test/activities/watched.test.ts',
  'test/integration/activities/outages.test.ts',
  'test/integration/storage/failover.test.ts',
  'test/integration/storage/fair-turns.test.ts',
  'test/integration/storage/last-release.test.ts',
  'test/integration/storage/lock-order.test.ts',
  'test/integration/storage/migrate.test.ts',
  'test/integration/storage/row-types.test.ts',
  'test/integration/storage/silent-postgres.test.ts',
  'test/integration/storage/statements.test.ts',
  'test/integration/world.test.ts',
  'test/releases/make.ts',
  'test/seeded/faults.ts',
  'test/stack/stack.test.ts',
  'test/storage/many-hosts.test.ts',
  'test/storage/migration-headers.test.ts',
  'test/support/plans.ts',
  'test/support/schema-dump.ts',
  'test/support/sql-in-tests.test.ts',
  'test/support/world.ts',
];
/** What goes to the database as text (queries of Temporal are single words), and text that can only go there. */
const sql = [
  /\.query(?:<[^>]*>)?\(\s*(?:`|'[^'\n]*\s)/u,
  /['`]\s*(?:select\s[^'`]*\sfrom\s|insert into\s|update \w+ set\s|delete from\s|with \w+ as\s|alter table\s)/u,
];
const isSql = (text: string): boolean => sql.some((pattern) => pattern.test(text));

test('SQL of tests stands in test/support/database alone', () => {
  const files = globSync('test/**/*.ts').filter(
    (file) => !file.startsWith('test/support/database/') && !aboutSql.includes(file),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((file) => isSql(readFileSync(file, 'utf8')))).toEqual([]);
});

test.each([
  ["pool.query('select 1')", true],
  ['pool.query<Row>(`select 1`)', true],
  ["const text = 'update url set state'", true],
  ["handle.query('state')", false],
  ["throw new Error('select one of them')", false],
])('%s', (text, expected) => {
  expect(isSql(text)).toBe(expected);
});
