/**
 * Workers of the last release go on while those of this one have migrated their database: each statement of that release can
 * still be prepared. What goes must have gone from the code a release before.
 */
import { expect, it } from 'vitest';
import { releases, statementsOf } from '../../releases/folder.ts';
import { withDatabase, withPool } from '../../support/world.ts';

const pool = withPool(withDatabase(), 1);

it('its statements work on this schema', async () => {
  const last = releases.at(-1) ?? '';
  const statements = Object.entries(statementsOf(last));
  const wrong: string[] = [];
  for (const [name, text] of statements) {
    if (/^\s*create /.test(text)) continue;
    await pool.query(`prepare tried as ${text}`).then(
      () => pool.query('deallocate tried'),
      (error: unknown) => wrong.push(`${name}: ${String(error)}`),
    );
  }
  expect(wrong).toEqual([]);
  expect(statements.length).toBeGreaterThan(200);
});
