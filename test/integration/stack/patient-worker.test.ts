/**
 * A worker whose Temporal has no namespace for it yet, or has gone, waits for it (workers/main.ts).
 * @module-tag long
 */
import { readdirSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/until.ts';
import { makeBlobDir, startWorker } from '../../support/worker.ts';
import { withWorld } from '../../support/world.ts';

const world = withWorld();

it('a worker that waits for its namespace takes no more threads the longer it waits', async () => {
  const isWaiting = (line: string): boolean => line.includes('waiting for the Temporal namespace');
  const nowhere = { ...world, namespace: 'nobody-made-it' };
  const worker = await startWorker(nowhere, { blobDir: makeBlobDir() }, isWaiting);
  onTestFinished(() => worker.kill());
  const threads = (): number => readdirSync(`/proc/${String(worker.child.pid)}/task`).length;
  // It says so at every tenth try.
  const hasSaid = (times: number): Promise<unknown> =>
    until('it has tried ten times more', () => worker.log.filter(isWaiting).length >= times);
  await hasSaid(2);
  const before = threads();
  await hasSaid(3);
  expect(threads()).toBeLessThanOrEqual(before);
});
