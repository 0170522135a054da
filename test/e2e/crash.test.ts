/** Workers that are killed or frozen in the middle of a crawl: nothing is lost, nobody is hurried (F08, G2). */
import { expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { not, tables } from '../support/database/index.ts';
import { stopped } from '../support/freezing.ts';
import { makeBlobDir, startWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf, pageKey } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import type { RequestRecord } from '../web/log.ts';
import { startWeb, type Web } from '../web/server.ts';

const world = withWorld();
const desk = withDesk(world);
const blobDir = makeBlobDir();
const delaySeconds = 0.3;

const pagesOf = (web: Web): RequestRecord[] => web.log().filter(({ url }) => !url.endsWith('/robots.txt'));

/** So many pages at least, and one of each host: what its robots.txt says is durable by then. */
async function untilFetched(web: Web, count: number): Promise<void> {
  const isFetched = (): boolean => {
    const pages = pagesOf(web);
    return pages.length >= count && new Set(pages.map(({ host }) => host)).size === web.origins.length;
  };
  while (!isFetched()) await new Promise((wake) => setTimeout(wake, 20));
}

/**
 * The pages that were in flight when the only worker was cut off: asked for, and their outcome not committed. By the
 * rule that a result is durable before the next request, each is the last that its host was asked for.
 */
async function cutOff(web: Web, crawlId: string): Promise<string[]> {
  // The web knows by then that nobody reads on, and so its log is whole.
  await expect.poll(() => web.log().every(({ end }) => end !== null)).toBe(true);
  const rows = await tables.url.rows(desk.pool, {
    crawl_id: crawlId,
    fetched_at: not(null),
    state: not('leased'),
  });
  const durable = new Set(rows.map(({ url }) => pageKey(url)));
  const lastOf = new Map(pagesOf(web).map(({ host, url }) => [host, pageKey(url)]));
  const inFlight = new Set(pagesOf(web).map(({ url }) => pageKey(url)));
  for (const key of durable) inFlight.delete(key);
  expect([...lastOf.values()]).toEqual(expect.arrayContaining([...inFlight]));
  return [...inFlight];
}

/** Pages that were asked for more than once, whatever became of it. */
function askedAgain(web: Web): string[] {
  const seen = new Set<string>();
  return pagesOf(web).flatMap(({ url }) => {
    const key = pageKey(url);
    if (seen.has(key)) return [key];
    seen.add(key);
    return [];
  });
}

it('kill -9 of the worker: the next one goes on, and repeats at most what was in flight', async () => {
  // Slow enough that requests are in flight at most times.
  const web = await startWeb({ seed: 21, hosts: 4, pages: 20, latencyMs: 150 });
  let worker = await startWorker(world, { blobDir });
  try {
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
    const inFlight: string[] = [];
    for (const pages of [15, 40]) {
      await untilFetched(web, pages);
      await worker.kill();
      inFlight.push(...(await cutOff(web, id)));
      const before = web.log().length;
      worker = await startWorker(world, { blobDir });
      const back = performance.now();
      await expect.poll(() => web.log().length).toBeGreaterThan(before);
      expect(performance.now() - back).toBeLessThan(60_000);
    }
    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] });
    expect(verdict.robotsRepeated).toEqual(new Map());
    expect(inFlight).toEqual(expect.arrayContaining(askedAgain(web)));
    // None was asked for once more than it was cut off.
    expect(askedAgain(web).length).toBeLessThanOrEqual(inFlight.length);
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
    expect(await worker.drain()).toBe(0);
  } finally {
    await web.stop();
  }
});

// Tasks that Temporal hands to the frozen worker's open polls come back one after another, which takes up to a minute.
it(
  'SIGSTOP of a worker while another takes over: it sends nothing when it wakes up',
  { tags: ['deep'] },
  async () => {
    const web = await startWeb({ seed: 22, hosts: 3, pages: 25, latencyMs: 20 });
    const frozen = await startWorker(world, { blobDir });
    try {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
      await untilFetched(web, 12);
      frozen.child.kill('SIGSTOP');
      await stopped(frozen.child.pid);
      const inFlight = await cutOff(web, id);
      const other = await startWorker(world, { blobDir });
      await untilFetched(web, pagesOf(web).length + 9);
      frozen.child.kill('SIGCONT');
      expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
      const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
      expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], unexpected: [] });
      expect(inFlight).toEqual(expect.arrayContaining(askedAgain(web)));
      expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [] });
      expect(await frozen.drain()).toBe(0);
      expect(await other.drain()).toBe(0);
    } finally {
      await web.stop();
    }
  },
);
