/** A whole crawl through the real stack; the synthetic web's own log is the judge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditCrawl } from '../../storage/audit.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { createWorld, type World } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { misfits } from '../web/options.ts';
import { startWeb } from '../web/server.ts';

let world: World;
let desk: CrawlDesk;
let worker: WorkerProcess;

beforeAll(async () => {
  world = await createWorld();
  desk = await openDesk(world);
  worker = await startWorker(world, { blobDir: makeBlobDir(), requestTimeoutSeconds: 3 });
});

afterAll(async () => {
  expect(await worker.drain()).toBe(0);
  await desk.close();
  await world.close();
});

describe('a web with every wrinkle', () => {
  it('is fetched whole: each reachable page once, robots.txt first and obeyed, one at a time, never too soon', async () => {
    const web = await startWeb({ seed: 11, hosts: 5, pages: 20, wrinkles: 2, sitemap: true, latencyMs: 5 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.2 });
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
      const verdict = judge(web.log(), { delayMs: 200, expected: expectedOf(web.plan) });
      expect(complaints(verdict)).toEqual([]);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await web.stop();
    }
  });

  it('obeys a Crawl-delay of the robots.txt', async () => {
    const web = await startWeb({ seed: 12, hosts: 2, pages: 4, crawlDelay: 0.5 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any' });
      await desk.ended(id);
      expect(complaints(judge(web.log(), { delayMs: 500, expected: expectedOf(web.plan) }))).toEqual([]);
    } finally {
      await web.stop();
    }
  });
});

describe('hosts that misbehave', () => {
  it('stop nobody else and are not hurried', async () => {
    const web = await startWeb({ seed: 13, hosts: 3, pages: 10, misfits, slowMs: 300, latencyMs: 2 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.05 });
      // The well-behaved hosts are done long before the others have had all their tries.
      const { must } = expectedOf(web.plan);
      const good = [...must].filter((url) => web.origins.slice(0, 3).includes(new URL(url).origin));
      await desk.until(
        `select count(*) >= $2 as yes from url u join host h on h.id = u.host_id
          where u.crawl_id = $1 and u.state = 'done' and u.fetched_at is not null and h.origin = any ($3)`,
        [id, good.length, web.origins.slice(0, 3)],
      );
      const verdict = judge(web.log(), { delayMs: 50 });
      expect({ overlaps: verdict.overlaps, tooSoon: verdict.tooSoon, tooEager: verdict.tooEager }).toEqual({
        overlaps: [],
        tooSoon: [],
        tooEager: [],
      });
      await desk.client.workflow.getHandle(`crawl/${id}`).executeUpdate('cancel', { args: ['enough seen'] });
      expect(await desk.ended(id)).toMatchObject({ state: 'cancelled', reason: 'enough seen' });
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await web.stop();
    }
  });
});

describe('limits', () => {
  it('stop a crawl at exactly the pages asked for', async () => {
    const web = await startWeb({ seed: 14, hosts: 6, pages: 30 });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0, maxPages: 50 });
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'max-pages' });
      const { rows } = await desk.pool.query(
        'select sum(pages)::int as pages from ledger where crawl_id = $1',
        [id],
      );
      expect(rows).toEqual([{ pages: 50 }]);
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    } finally {
      await web.stop();
    }
  });
});
