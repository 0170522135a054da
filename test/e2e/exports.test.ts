/** An export over the whole stack: its worker is killed in the middle, and the next one makes the same file. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startMissing } from '../../activities/open-workflows.ts';
import { addExport } from '../../storage/exports/index.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { standStill, tables } from '../support/database/index.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { createWorld, type World } from '../support/world.ts';
import { storeCrawl, type Stored } from '../integration/api/exported.ts';

let world: World;
let desk: CrawlDesk;
const folder = makeBlobDir();
const pages = 3_000;
let crawl: Stored;

beforeAll(async () => {
  world = await createWorld();
  desk = await openDesk(world);
  crawl = await storeCrawl(desk.pool, folder, pages);
});
afterAll(async () => {
  await desk.close();
  await world.close();
});

const job = (id: string) => tables.exportJob.row(desk.pool, { id });
const start = async (): Promise<string> => {
  const [added] = await addExport(
    desk.pool,
    crawl.id,
    'jsonl',
    '{"fields":["text"],"filter":{}}',
    'folder',
    5,
  );
  await startMissing.job(desk.client.workflow, 'export', added?.id ?? '');
  return added?.id ?? '';
};
const fileOf = async (id: string): Promise<Buffer> => {
  const { folder: of, draft } = await job(id);
  return readFileSync(
    path.join(folder, 'blobs', 'exports', of, draft ?? '', `crawl-${crawl.id}-export-${id}.jsonl`),
  );
};

// A killed worker is noticed after eight seconds, and its copy of the draft is made then.
it(
  'kill -9 of the worker in the middle: no byte is lost, and none comes twice',
  { tags: ['long'] },
  async () => {
    const settings = { blobDir: path.join(folder, 'blobs') };
    const broken = await start();
    for (const least of [1, 1_100]) {
      const middle = await standStill(desk.pool, 'export_job', 'pages', least);
      const killed = await startWorker(world, settings);
      await expect.poll(async () => (await job(broken)).pages).toBeGreaterThanOrEqual(least);
      await killed.kill();
      expect((await job(broken)).state).toBe('running');
      await middle.goOn();
    }
    const worker = await startWorker(world, settings);
    await expect.poll(async () => (await job(broken)).state).toBe('finished');
    const whole = await start();
    await expect.poll(async () => (await job(whole)).state).toBe('finished');
    const [one, other] = [await fileOf(whole), await fileOf(broken)];
    expect(other.equals(one)).toBe(true);
    expect(other.toString().trimEnd().split('\n')).toHaveLength(pages + 4);
    expect(await worker.drain()).toBe(0);
  },
);
