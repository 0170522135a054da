/** Full text in Postgres, by the suite for all indexes. */
import { afterAll, beforeAll } from 'vitest';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import { askIndex, findIndex, noteIndexed, PostgresIndex } from '../../../storage/search/index.ts';
import { createWorld, type World } from '../../support/world.ts';
import { describeSearchIndex, type SearchWorld } from './search-suite.ts';

let world: World;
let pool: Pool;
let searched: SearchWorld;
let crawls = 0;

beforeAll(async () => {
  world = await createWorld();
  pool = createPool(world.databaseUrl, 2, () => undefined);
  searched = {
    index: new PostgresIndex(pool),
    newCrawl: async () => {
      const id = String(++crawls);
      await askIndex(pool, id);
      return id;
    },
    endRound: async (id) => {
      const [row] = await findIndex(pool, id);
      await noteIndexed(pool, id, row?.round ?? 0, null, 0, 0, [], 'building');
    },
    enough: 250,
  };
});
afterAll(async () => {
  await pool.end();
  await world.close();
});

describeSearchIndex('Postgres', () => searched);
