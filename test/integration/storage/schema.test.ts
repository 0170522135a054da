/** `storage/schema.sql` shows what the migrations make, so that a change of the schema is read as one. */
import { expect, it, onTestFinished } from 'vitest';
import { createPool } from '../../../storage/postgres/index.ts';
import { schemaText } from '../../support/schema-dump.ts';
import { createDatabase } from '../../support/world.ts';

it('is the schema in storage/schema.sql (npm test -- test/integration/storage/schema.test.ts -u writes it)', async () => {
  const world = await createDatabase();
  const pool = createPool(world.databaseUrl, 1, () => undefined);
  onTestFinished(async () => {
    await pool.end();
    await world.close();
  });
  await expect(await schemaText(pool)).toMatchFileSnapshot('../../../storage/schema.sql');
});
