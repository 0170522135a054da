/** Listeners that come and go while the feed looks for them. */
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { EventFeed } from '../../../api/watchers/event-feed.ts';
import { setCrawlState } from '../../../storage/crawls/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { newCrawl, withServices } from './world.ts';

const { pool } = withServices();

it('one that comes from further behind while a look is under way misses nothing', async () => {
  const crawlId = await newCrawl(pool, {}, ['https://a.example/']);
  for (let round = 0; round < 10; round++) {
    await setCrawlState(pool, Number(crawlId), 'running', null, null);
    await setCrawlState(pool, Number(crawlId), 'paused', 'asked', null);
  }
  // The first look is held up until the second listener is there.
  const [looking, goOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  let looks = 0;
  const slow = {
    query: async (asked: { name: string; text: string; values: unknown[] }) => {
      looks++;
      const answer: unknown = await pool.query(asked);
      if (looks === 1) {
        looking.resolve(undefined);
        await goOn.promise;
      }
      return answer;
    },
  } as unknown as Pool;
  const feed = new EventFeed(slow, pino({ level: 'silent' }));
  const told = { late: [] as string[], early: [] as string[] };
  const tellTo = (who: keyof typeof told) => (events: readonly { id: string }[]) => {
    told[who].push(...events.map(({ id }) => id));
  };
  onTestFinished(feed.listen({ crawlId, after: '15', tell: tellTo('early') }));
  await looking.promise;
  onTestFinished(feed.listen({ crawlId, after: '0', tell: tellTo('late') }));
  goOn.resolve(undefined);
  await expect.poll(() => told.late.length).toBe(21);
  expect(told.late).toEqual(Array.from({ length: 21 }, (_, at) => String(at + 1)));
  expect(told.early).toEqual(['16', '17', '18', '19', '20', '21']);
});
