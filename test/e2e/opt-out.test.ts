/**
 * An opt-out in the middle of a crawl by two real workers (F15); the synthetic web's own log is the judge.
 *
 * @module-tag deep
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { optOutHoldMs } from '../../domain/opt-out.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withServed } from '../integration/api/world.ts';
import { withDesk } from '../support/crawling.ts';
import { hostIdOf, not, urlStates } from '../support/database/index.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { startWeb } from '../web/server.ts';

const world = withWorld();
const desk = withDesk(world);
const api = withServed(desk.pool);
let workers: WorkerProcess[];

beforeAll(async () => {
  const blobDir = makeBlobDir();
  workers = await Promise.all([startWorker(world, { blobDir }), startWorker(world, { blobDir })]);
});

afterAll(async () => {
  expect(await Promise.all(workers.map((worker) => worker.drain()))).toEqual([0, 0]);
});

it('is asked nothing once the opt-out is answered; the others are crawled whole, and every URL is accounted for', async () => {
  // The host that leaves is slow: a request of it is in flight as a rule.
  const web = await startWeb({ seed: 15, hosts: 5, pages: 40, spread: 'addresses', latencyMs: 20 });
  try {
    const [leaving = '', ...staying] = web.origins;
    const authority = new URL(leaving).host;
    const of = (from: number) =>
      web.log().filter(({ host, start }) => host === authority && start >= from).length;
    const config = { scope: 'any', delaySeconds: 0.15 } as const;
    const [first, second] = [await desk.start(web.seeds, config), await desk.start(web.seeds, config)];
    await expect.poll(() => of(0)).toBeGreaterThan(5);

    const asked = performance.now();
    const response = await fetch(`${api.url}/v1/opt-outs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: new URL(leaving).hostname }),
    });
    const answeredAt = performance.now();
    expect(response.status).toBe(201);
    expect(answeredAt - asked).toBeGreaterThanOrEqual(optOutHoldMs);

    // One that comes later meets the opt-out from the start.
    const third = await desk.start([`${leaving}/`, `${staying[0] ?? ''}/`], { ...config, scope: 'host' });
    for (const id of [first, second, third]) {
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [], balanced: true });
    }
    expect(of(answeredAt)).toBe(0);
    const queued = {
      host_id: await hostIdOf(desk.pool, leaving),
      crawl_id: [first, second, third],
      state: not('done'),
    };
    expect(Object.keys(await urlStates(desk.pool, queued))).toEqual(['excluded:opt-out']);
    const fetched = new Set(web.log().map(({ url }) => url));
    const must = [...expectedOf(web.plan).must].filter((url) => new URL(url).origin !== leaving);
    expect(must.filter((url) => !fetched.has(url))).toEqual([]);
    const { overlaps, tooSoon } = judge(web.log(), { delayMs: 150 });
    expect({ overlaps, tooSoon }).toEqual({ overlaps: [], tooSoon: [] });
  } finally {
    await web.stop();
  }
});
