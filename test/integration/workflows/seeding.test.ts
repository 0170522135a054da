/**
 * A crawl with more seeds than are admitted in a moment obeys all the while, on a real worker.
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import {
  cancelCrawlUpdate,
  crawlWorkflowId,
  pauseCrawlUpdate,
  resumeCrawlUpdate,
} from '../../../contracts/workflows.ts';
import { storeEdit } from '../../../storage/edits/index.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { withDesk } from '../../support/crawling.ts';
import { tables } from '../../support/database/index.ts';
import { makeBlobDir, startWorker, withWorker } from '../../support/worker.ts';
import { withWorld } from '../../support/world.ts';
import { until } from '../../support/until.ts';

const world = withWorld();
const desk = withDesk(world);
withWorker(world, { roles: 'control', blobDir: makeBlobDir() });

const seedsOf = async (crawl: string) => {
  const view = await viewCrawl(desk.pool, crawl);
  if (view === null) throw new Error('there is no crawl');
  return { ...view.seeds, state: view.state, discovered: view.ledger.discovered };
};
const more = (crawl: string, than: number): Promise<void> =>
  until('seeds are taken', async () => (await tables.crawl.row(desk.pool, { id: crawl })).seeds_taken > than);

it('is paused, edited, resumed and cancelled while it takes in its seeds', { tags: ['long'] }, async () => {
  const many = 150_000;
  const seeds = Array.from({ length: many }, (_, at) => `https://many.example/${String(at)}`);
  const crawl = await desk.start(seeds);
  const workflow = desk.client.workflow.getHandle(crawlWorkflowId(crawl));
  await more(crawl, 0);

  expect(await workflow.executeUpdate(pauseCrawlUpdate, { args: ['a moment'] })).toMatchObject({
    state: 'paused',
  });
  const paused = await seedsOf(crawl);
  expect(paused).toMatchObject({ state: 'paused', accepted: many });
  expect(paused.waiting).toBeGreaterThan(0);

  const edited = await storeEdit(desk.pool, crawl, {
    change: (config) => ({ ...config, exclude: ['*/7*'] }),
    ...{ seen: null, author: 'key test', note: null, restores: null, mayEnd: false },
  });
  expect(edited).toMatchObject({ kind: 'stored' });

  expect(await workflow.executeUpdate(resumeCrawlUpdate)).toMatchObject({ state: 'running' });
  await more(crawl, many - paused.waiting);

  expect(await workflow.executeUpdate(cancelCrawlUpdate, { args: ['enough'] })).toMatchObject({
    reason: 'enough',
  });
  expect(await desk.ended(crawl)).toMatchObject({ state: 'cancelled', reason: 'enough' });
  const ended = await seedsOf(crawl);
  expect(ended.waiting).toBeGreaterThan(0);
  // A batch that was on its way may be in the frontier, and not noted yet.
  expect(ended.waiting).toBeGreaterThanOrEqual(many - ended.discovered);
  expect(ended.waiting).toBeLessThanOrEqual(many - ended.discovered + 1_000);
});

it('a worker is known to be at work until it drains, and one that was killed is missed', async () => {
  const count = (role: string, many: number): Promise<void> =>
    until(
      `${String(many)} work`,
      async () => (await tables.worker.count(desk.pool, { roles: `{${role}}` })) === many,
    );
  await count('control', 1);
  const settings = { roles: 'fetch', blobDir: makeBlobDir() };
  const [drained, killed] = [await startWorker(world, settings), await startWorker(world, settings)];
  await count('fetch', 2);
  await drained.drain();
  await killed.kill();
  await count('fetch', 1);
});
