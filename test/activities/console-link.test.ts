/** Workflows are told where the console shows what they are for, and say so in Temporal Web (F40, F47). */
import type { CreateScheduleInput, WorkflowStartInput } from '@temporalio/client';
import { expect, it } from 'vitest';
import { linkedToConsole, screenOf } from '../../activities/console-link.ts';
import type { JobKind } from '../../contracts/jobs.ts';
import { jobWorkflow } from '../../activities/open-workflows.ts';

it.each([
  ['backup/stack', ''],
  ['crawl/3', 'crawls/3'],
  ['recrawl/3', 'crawls/3/freshness'],
  ['host/https://a.example:8443', 'hosts/https%3A%2F%2Fa.example%3A8443'],
  ['redrive/3', 'crawls/3/dead-letters'],
  ['webhook/0d2f', 'webhooks/0d2f'],
])('%s', (id, path) => {
  for (const console of ['http://127.0.0.1:7700/console/', 'http://127.0.0.1:7700/console'])
    expect(screenOf(console, { workflowId: id })).toBe(`http://127.0.0.1:7700/console/${path}`);
});

it('links a job with an id of its own to the crawl that its memo names', () => {
  const screen = (kind: JobKind, crawl?: string): string | undefined =>
    screenOf('http://c.example', jobWorkflow({ kind, id: '7' }, undefined, crawl));
  expect(screen('export', '3')).toBe('http://c.example/crawls/3/pages');
  expect(screen('reextraction', '3')).toBe('http://c.example/crawls/3');
  expect(screen('export')).toBeUndefined();
});

it('gives no link where the console has no screen, or nobody knows where it is', () => {
  for (const id of ['scheduler/0', 'export/7', 'toString/7', 'crawl'])
    expect(screenOf('http://c.example/', { workflowId: id })).toBeUndefined();
  expect(linkedToConsole(null)).toEqual({ workflow: [], schedule: [] });
});

it('gives it to a workflow beside its other memo, however the workflow is started', async () => {
  const {
    workflow: [linking],
    schedule: [scheduling],
  } = linkedToConsole('http://c.example/console');
  const told: unknown[] = [];
  const options = { workflowId: 'crawl/3', memo: { host: 'a' } } as unknown as WorkflowStartInput['options'];
  const input = { workflowType: 'crawl', headers: {}, options };
  await linking?.startWithDetails?.(input, ({ options: { memo } }) => {
    told.push(memo);
    return Promise.resolve({ runId: '', eagerlyStarted: false });
  });
  await linking?.signalWithStart?.(
    { ...input, signalName: 'wake', signalArgs: [] },
    ({ options: { memo } }) => {
      told.push(memo);
      return Promise.resolve('');
    },
  );
  const schedule = { action: options } as unknown as CreateScheduleInput['options'];
  await scheduling?.create?.({ headers: {}, options: schedule }, ({ options: { action } }) => {
    told.push(action.memo);
    return Promise.resolve({ conflictToken: new Uint8Array() });
  });
  const memo = { host: 'a', console: 'http://c.example/console/crawls/3' };
  expect(told).toEqual([memo, memo, memo]);
});
