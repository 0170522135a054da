/**
 * Full text in OpenSearch, by the suite for all indexes and a real server.
 * @module-tag long
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import {
  askIndex,
  indexRows,
  openIndex,
  PostgresIndex,
  restartIndex,
  SearchDown,
} from '../../../storage/search/index.ts';
import { hasOpenSearch, startOpenSearch, type OpenSearchServer } from '../../programs/opensearch.ts';
import { tables } from '../../support/database/index.ts';
import { createDatabase, type Database } from '../../support/world.ts';
import { describeSearchIndex, type SearchWorld } from './search-suite.ts';

describe.skipIf(!hasOpenSearch())('with OpenSearch', () => {
  let world: Database;
  let pool: Pool;
  let server: OpenSearchServer;
  let searched: SearchWorld;
  let crawls = 0;
  const indexOf = (url: string, patience?: number) => openIndex(pool, { url, index: 'pages' }, patience);

  beforeAll(async () => {
    world = await createDatabase();
    pool = createPool(world.databaseUrl, 2, () => undefined);
    server = await startOpenSearch();
    searched = {
      index: await indexOf(server.url),
      newCrawl: async () => {
        const id = String(++crawls);
        await askIndex(pool, id);
        return id;
      },
      endRound: async (id) => {
        await restartIndex(pool, id);
      },
      enough: 10_000,
    };
  });
  afterAll(async () => {
    await server.close();
    await pool.end();
    await world.close();
  });

  describeSearchIndex('OpenSearch', () => searched);

  const spider = (key = 'aa') => ({
    ...{
      key,
      url: `https://a.example/${key}`,
      origin: 'https://a.example',
      title: 'A page',
      description: null,
    },
    ...{
      text: 'a spider',
      language: 'en',
      status: 200,
      mediaType: 'text/html',
      fetchedAt: '2024-01-01T00:00:00.000Z',
      digest: 'd0',
    },
  });
  const terms = [{ text: 'spider', isPhrase: false, isUnwanted: false }];
  const search = (id: string) =>
    searched.index.search({
      ...{ crawls: [{ id, looked: 1 }], configs: ['english'], terms, filter: {}, limit: 10, offset: 0 },
    });

  it('takes out what Postgres had of a crawl before', async () => {
    const id = await searched.newCrawl();
    const before = new PostgresIndex(pool);
    await before.put({ crawlId: id, round: 0, looked: 0, pages: [spider()], gone: [] });
    expect((await before.has(id, [spider()])).size).toBe(1);
    await searched.index.drop(id);
    expect((await before.has(id, [spider()])).size).toBe(0);
  });

  it('refuses what comes late by itself, also of a page that was taken out', async () => {
    const id = await searched.newCrawl();
    // Checks of Postgres that came before the other batch's end.
    const frozen = await indexOf(server.url);
    await searched.endRound(id);
    await searched.index.put({ crawlId: id, round: 1, looked: 0, pages: [spider('bb')], gone: ['aa'] });
    const [row] = await indexRows.find(pool, id, id);
    await tables.job.change(pool, { kind: 'search', id }, { progress: { ...row?.progress, round: 0 } });
    await frozen.put({
      crawlId: id,
      round: 0,
      looked: 0,
      pages: [spider('aa'), { ...spider('bb'), text: 'an ant' }],
      gone: [],
    });
    await frozen.put({ crawlId: id, round: 0, looked: 0, pages: [], gone: ['bb'] });
    await searched.index.settle();
    expect(row?.progress.round).toBe(1);
    expect((await search(id)).hits.map(({ url }) => url)).toEqual(['https://a.example/bb']);
  });

  it('says that it is down, and goes on when it is back', async () => {
    const id = await searched.newCrawl();
    const down = await indexOf('http://searcher:secret@127.0.0.1:1');
    const why = await down
      .put({ crawlId: id, round: 0, looked: 0, pages: [spider()], gone: [] })
      .catch((error: unknown) => error);
    expect(why).toBeInstanceOf(SearchDown);
    expect(JSON.stringify(why, Object.getOwnPropertyNames(why))).not.toContain('secret');
    await searched.index.put({ crawlId: id, round: 0, looked: 0, pages: [spider()], gone: [] });
    await searched.index.settle();
    expect((await search(id)).found).toBe(1);
  });
});
