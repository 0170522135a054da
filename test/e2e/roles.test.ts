/**
 * Each role in a process of its own, and each of them killed alone.
 *
 * @module-tag long
 */
import { expect, it } from 'vitest';
import { auditCrawl } from '../../storage/reports/index.ts';
import { withDesk } from '../support/crawling.ts';
import { until } from '../support/until.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { expectedOf } from '../web/expected.ts';
import { judge } from '../web/judge.ts';
import { startWeb } from '../web/server.ts';

const world = withWorld();
const desk = withDesk(world);
const blobDir = makeBlobDir();
const delaySeconds = 0.2;
const roles = ['control', 'fetch', 'extract'] as const;

it('each role in a process of its own, killed in mid-crawl one after the other: the crawl ends whole and polite', async () => {
  const web = await startWeb({ seed: 31, hosts: 3, pages: 30, latencyMs: 20 });
  const start = (role: string): Promise<WorkerProcess> => startWorker(world, { roles: role, blobDir });
  const workers = new Map<string, WorkerProcess>();
  for (const role of roles) workers.set(role, await start(role));
  try {
    const id = await desk.start(web.seeds, { scope: 'any', delaySeconds });
    for (const [at, role] of roles.entries()) {
      await until('more is asked for', () => web.log().length >= 12 * (at + 1));
      await workers.get(role)?.kill();
      workers.set(role, await start(role));
    }
    expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
    expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] });
    // One kill of the process that fetches: a host may have had one request in flight.
    const repeats = [...verdict.repeated.values()].reduce((sum, times) => sum + times - 1, 0);
    expect(repeats).toBeLessThanOrEqual(web.origins.length);
    expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [], balanced: true });
    for (const worker of workers.values()) expect(await worker.drain()).toBe(0);
  } finally {
    await web.stop();
  }
});
