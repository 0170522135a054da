/** Full text in Postgres, by the suite for all indexes. */
import { askIndex, PostgresIndex, restartIndex } from '../../../storage/search/index.ts';
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
    await restartIndex(pool, id);
  },
  enough: 250,
};

describeSearchIndex('Postgres', () => searched);
