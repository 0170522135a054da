/**
 * A re-extraction over the whole stack: its worker is killed in the middle, the next one goes on, and not one request is
 * sent.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startMissing } from '../../activities/open-workflows.ts';
import { jobWorkflowId } from '../../contracts/jobs.ts';
import { changeReextraction, startReextraction } from '../../storage/reextraction/index.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { standStill, tables } from '../support/database/index.ts';
import { allPages } from '../support/all-pages.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { createWorld, type World } from '../support/world.ts';
import { storeCrawl } from '../integration/api/exported.ts';
import { startWeb } from '../web/server.ts';

let world: World;
let desk: CrawlDesk;
beforeAll(async () => {
  world = await createWorld();
  desk = await openDesk(world);
});
afterAll(async () => {
  await desk.close();
  await world.close();
});

const job = (id: string) => tables.reextraction.row(desk.pool, { id: Number(id) });
async function start(crawlId: string): Promise<string> {
  const id = await startReextraction(desk.pool, crawlId);
  if (typeof id !== 'string') throw new Error(id.refused);
  await startMissing.job(desk.client.workflow, 'reextraction', id);
  return id;
}
const change = async (crawlId: string, id: string, what: 'switch' | 'undo' | 'keep'): Promise<void> => {
  expect(await changeReextraction(desk.pool, crawlId, id, what)).toBeNull();
  await startMissing.job(desk.client.workflow, 'reextraction', id);
};
const titles = async (crawlId: string): Promise<(string | null)[]> => {
  const found: (string | null)[] = [];
  for await (const { title } of allPages(desk.pool, crawlId)) found.push(title);
  return found;
};

// A killed worker is noticed after eight seconds.
it(
  'kill -9 of the worker in the middle: each page is read once, and counted once',
  { tags: ['deep'] },
  async () => {
    const folder = makeBlobDir();
    const pages = 3_000;
    const crawl = await storeCrawl(desk.pool, folder, pages);
    const settings = { blobDir: path.join(folder, 'blobs') };
    const broken = await start(crawl.id);
    for (const least of [1, 1_100]) {
      const middle = await standStill(desk.pool, 'reextraction', 'pages', least);
      const killed = await startWorker(world, settings);
      await expect.poll(async () => (await job(broken)).pages).toBeGreaterThanOrEqual(least);
      await killed.kill();
      expect((await job(broken)).state).toBe('running');
      await middle.goOn();
    }
    const worker = await startWorker(world, settings);
    await expect.poll(async () => (await job(broken)).state).toBe('finished');
    const whole = await start(crawl.id);
    await expect.poll(async () => (await job(whole)).state).toBe('finished');
    const [one, other] = [await job(whole), await job(broken)];
    expect([other.pages, other.tally]).toEqual([pages, one.tally]);
    const rowsOf = (id: string) => tables.reextractionPage.count(desk.pool, { job_id: Number(id) });
    expect(await rowsOf(broken)).toBe(await rowsOf(whole));
    expect(await worker.drain()).toBe(0);
  },
);

it(
  'what was read otherwise is read again, switched to, undone and kept, without a request',
  { tags: ['deep'] },
  async () => {
    const web = await startWeb({ seed: 3, hosts: 1, pages: 25 });
    const worker = await startWorker(world, { blobDir: makeBlobDir() });
    const crawlId = await desk.start([web.seeds[0] ?? ''], { delaySeconds: 0 });
    await desk.ended(crawlId);
    const fetched = web.log().length;
    const present = await titles(crawlId);
    // As an extractor of another version had read them.
    await tables.page.change(desk.pool, { crawl_id: Number(crawlId) }, { title: 'old' });
    const old = await titles(crawlId);
    expect(old).toContain('old');
    const id = await start(crawlId);
    await expect.poll(async () => (await job(id)).state).toBe('finished');
    expect((await job(id)).tally).toMatchObject({ equal: 0, unread: {} });
    expect(await titles(crawlId)).toEqual(old);
    await change(crawlId, id, 'switch');
    expect(await titles(crawlId)).toEqual(present);
    await expect.poll(async () => (await job(id)).settled).toBe(1);
    await change(crawlId, id, 'undo');
    expect(await titles(crawlId)).toEqual(old);
    await expect.poll(async () => (await job(id)).settled).toBe(2);
    await change(crawlId, id, 'switch');
    await expect.poll(async () => (await job(id)).settled).toBe(3);
    await change(crawlId, id, 'keep');
    await expect.poll(async () => (await job(id)).state).toBe('kept');
    expect(await titles(crawlId)).toEqual(present);
    const { status } = await desk.client.workflow.getHandle(jobWorkflowId('reextraction', id)).describe();
    expect(['RUNNING', 'COMPLETED']).toContain(status.name);
    expect(web.log()).toHaveLength(fetched);
    expect(await worker.drain()).toBe(0);
    await web.stop();
  },
);
