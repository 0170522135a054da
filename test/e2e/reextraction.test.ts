/**
 * A re-extraction over the whole stack: what it finds is switched to, undone and kept, and not one request is sent.
 */
import { expect, it } from 'vitest';
import { startMissing } from '../../activities/open-workflows.ts';
import { jobWorkflowId } from '../../contracts/jobs.ts';
import {
  changeReextraction,
  reextractionRows,
  startReextraction,
  stateOf,
} from '../../storage/reextraction/index.ts';
import { withDesk } from '../support/crawling.ts';
import { tables } from '../support/database/index.ts';
import { allPages } from '../support/all-pages.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { startWeb } from '../web/server.ts';

const world = withWorld();
const desk = withDesk(world);

const job = async (crawlId: string, id: string) => {
  const [row] = await reextractionRows.find(desk.pool, crawlId, id);
  if (row === undefined) throw new Error(`there is no re-extraction ${id}`);
  return { ...row.progress, state: stateOf(row) };
};
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
    await tables.reading.change(desk.pool, { crawl_id: Number(crawlId) }, { title: 'old' });
    const old = await titles(crawlId);
    expect(old).toContain('old');
    const id = await start(crawlId);
    await expect.poll(async () => (await job(crawlId, id)).state).toBe('finished');
    expect((await job(crawlId, id)).tally).toMatchObject({ equal: 0, unread: {} });
    expect(await titles(crawlId)).toEqual(old);
    await change(crawlId, id, 'switch');
    expect(await titles(crawlId)).toEqual(present);
    await expect.poll(async () => (await job(crawlId, id)).isSettled).toBe(true);
    await change(crawlId, id, 'undo');
    expect(await titles(crawlId)).toEqual(old);
    await expect.poll(async () => (await job(crawlId, id)).isSettled).toBe(true);
    await change(crawlId, id, 'switch');
    await expect.poll(async () => (await job(crawlId, id)).isSettled).toBe(true);
    await change(crawlId, id, 'keep');
    await expect.poll(async () => (await job(crawlId, id)).state).toBe('kept');
    expect(await titles(crawlId)).toEqual(present);
    const { status } = await desk.client.workflow.getHandle(jobWorkflowId('reextraction', id)).describe();
    expect(['RUNNING', 'COMPLETED']).toContain(status.name);
    expect(web.log()).toHaveLength(fetched);
    expect(await worker.drain()).toBe(0);
    await web.stop();
  },
);
