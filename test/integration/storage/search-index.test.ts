/** Full text in Postgres, by the suite for all indexes. */
import { askIndex, findIndex, noteIndexed, PostgresIndex } from '../../../storage/search/index.ts';
import { withDatabase, withPool } from '../../support/world.ts';
import { describeSearchIndex, type SearchWorld } from './search-suite.ts';

const world = withDatabase();
const pool = withPool(world, 2);
let crawls = 0;

const searched: SearchWorld = {
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

describeSearchIndex('Postgres', () => searched);
