/** Workers that are killed or frozen in the middle of a crawl: nothing is lost, nobody is hurried (F08, G2). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditCrawl } from '../../storage/audit.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { createWorld, type World } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { startWeb, type Web } from '../web/server.ts';

let world: World;
let desk: CrawlDesk;
const blobDir = makeBlobDir();
const delaySeconds = 0.3;

beforeAll(async () => {
  world = await createWorld();
  desk = await openDesk(world);
});

afterAll(async () => {
  await desk.close();
  await world.close();
});

const fetched = (web: Web) => web.log().filter(({ url }) => !url.endsWith('/robots.txt')).length;

async function untilFetched(web: Web, count: number): Promise<void> {
  while (fetched(web) < count) await new Promise((wake) => setTimeout(wake, 20));
}

it('kill -9 of the worker: the next one goes on, and repeats at most what was in flight', async () => {
  const web = await startWeb({ seed: 21, hosts: 4, pages: 20, latencyMs: 20 });
  const killed = await startWorker(world, { blobDir, leaseSeconds: 4 });
  try {
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
    await untilFetched(web, 20);
    await killed.kill();
    const inFlight = web.log().filter(({ end, status }) => end === null || status === 0).length;
    const before = web.log().length;
    const next = await startWorker(world, { blobDir, leaseSeconds: 4 });
    const back = performance.now();
    await untilFetched(web, before + 1);
    expect(performance.now() - back).toBeLessThan(15_000);
    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] });
    // An answer that was not committed yet when the worker died is asked for again: one a host at most.
    expect(verdict.repeated.size).toBeLessThanOrEqual(Math.max(inFlight, 4));
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    expect(await next.drain()).toBe(0);
  } finally {
    await web.stop();
  }
});

it('SIGSTOP of a worker while another takes over: it sends nothing when it wakes up', async () => {
  const web = await startWeb({ seed: 22, hosts: 3, pages: 25, latencyMs: 20 });
  const frozen = await startWorker(world, { blobDir, leaseSeconds: 2 });
  try {
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
    await untilFetched(web, 12);
    frozen.child.kill('SIGSTOP');
    const other = await startWorker(world, { blobDir, leaseSeconds: 2 });
    await untilFetched(web, fetched(web) + 9);
    frozen.child.kill('SIGCONT');
    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], unexpected: [] });
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    expect(await frozen.drain()).toBe(0);
    expect(await other.drain()).toBe(0);
  } finally {
    await web.stop();
  }
});
