/** Every statement of storage/ can be prepared against the schema that the migrations make. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
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

const folder = new URL('../../../storage/', import.meta.url);
const isStatement = (value: unknown): value is { readonly text: string } =>
  typeof value === 'function' && 'text' in value;

it('is one that Postgres plans', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql.ts'),
  );
  const wrong: string[] = [];
  let prepared = 0;
  for (const file of files) {
    const exported = Object.values((await import(new URL(file, folder).href)) as object);
    for (const { text } of exported.filter(isStatement)) {
      // What makes tables is no statement that can be prepared.
      if (/^\s*create /.test(text)) continue;
      await pool.query(`prepare tried as ${text}`).then(
        () => pool.query('deallocate tried'),
        (error: unknown) => wrong.push(`${file}: ${String(error)}`),
      );
      prepared++;
    }
  }
  expect(wrong).toEqual([]);
  expect(prepared).toBeGreaterThanOrEqual(230);
});
