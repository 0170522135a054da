/**
 * Workers of two versions on one queue, as while an instance is upgraded (docs/operations.md, "Upgrade"). The older one is
 * this code without one of its patches: what it does not know is the same that a release before the patch did not know.
 *
 * @module-tag long
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, it, onTestFinished } from 'vitest';
import { taskQueues } from '../../../contracts/workflows.ts';
import { presentCode } from '../../histories/saved-histories.ts';
import { testFolder } from '../../support/given.ts';
import { until } from '../../support/until.ts';
import { client, controlOfTest, fetched, hostWorkers, said, start, times, world } from './host-workers.ts';

// Each task is replayed, by whichever worker gets it.
hostWorkers({ maxCachedWorkflows: 0 });

const patch = 'woken-in-trouble';
const older = 'the older version';
const hosts = 6;
const visits = 5;

/** A worker of the version before the patch. */
async function startOlder(): Promise<{ readonly leave: () => Promise<void> }> {
  const code = await presentCode();
  const known = new RegExp(String.raw`\(0, ?\w+\.patched\)\('${patch}'\)`, 'g');
  expect(code).toMatch(known);
  const file = path.join(testFolder(), 'older.js');
  writeFileSync(file, code.replaceAll(known, 'false'));
  const connection = await NativeConnection.connect({ address: world.temporalAddress });
  const worker = await Worker.create({
    connection,
    namespace: world.namespace,
    taskQueue: taskQueues.control,
    identity: older,
    activities: controlOfTest(),
    workflowBundle: { codePath: file },
    maxCachedWorkflows: 0,
  });
  const running = worker.run();
  let left = false;
  const leave = async (): Promise<void> => {
    if (left) return;
    left = true;
    worker.shutdown();
    await running;
    await connection.close();
  };
  onTestFinished(leave);
  return { leave };
}

/** Who took the steps of a run, and whether it went the newer way. */
async function toldBy(workflowId: string) {
  const events = (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
  const takers = events.flatMap(({ workflowTaskCompletedEventAttributes: step }) => step?.identity ?? []);
  return {
    byOlder: takers.includes(older),
    byNewer: takers.some((taker) => taker !== older),
    isPatched: events.some(
      ({ markerRecordedEventAttributes: marker }) => marker?.markerName === 'core_patch',
    ),
  };
}

it('hosts go on under both, whichever took their last step, and end once the older one has left', async () => {
  const beside = await startOlder();
  // In trouble now and then: there the newer version goes a way of its own.
  const trouble = { ...fetched, next: 'trouble' as const, waitMs: 50, lastError: 'timeout' };
  const script = Array.from({ length: hosts * visits }, (_, at) => (at % 2 === 0 ? fetched : trouble));
  said.slices = [...script.map((each) => () => each), () => ({ ...fetched, next: 'idle' as const })];
  const handles = await Promise.all(Array.from({ length: hosts }, () => start()));
  // Both are at work for a while.
  await until('visits are made', () => times('slice').length + times('slice in trouble').length > hosts);
  await beside.leave();
  for (const handle of handles) await handle.result();
  const told = await Promise.all(handles.map(({ workflowId }) => toldBy(workflowId)));
  expect(told).toContainEqual({ byOlder: true, byNewer: true, isPatched: true });
  const states = await Promise.all(handles.map(async (handle) => (await handle.describe()).status.name));
  expect(states).toEqual(handles.map(() => 'COMPLETED'));
});
