/**
 * Workflows that are cancelled, terminated, reset, or gone with all of Temporal's data: Postgres holds the truth.
 *
 * @module-tag deep
 */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCrawlControl, type CrawlControl } from '../../api/crawls/crawl-control.ts';
import { hostWorkflowId, pauseHostSignal, resumeHostSignal, taskQueues } from '../../contracts/workflows.ts';
import type { WorkerRole } from '../../config/settings/fetching.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { storeEdit } from '../../storage/edits/index.ts';
import { parseId, signalProcess } from '../../stack/processes.ts';
import { createPool } from '../../storage/postgres/index.ts';
import { openDesk, type CrawlDesk, withDesk } from '../support/crawling.ts';
import { hostRow, noEditPending, tables } from '../support/database/index.ts';
import { startOwnStack } from '../support/start-stack.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { until } from '../support/until.ts';
import { expectedOf } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { startWeb, type Web } from '../web/server.ts';

const delayMs = 200;
const config = { scope: 'any', delaySeconds: delayMs / 1_000 } as const;

/** Every page once, none too soon, nothing left over. */
async function expectWhole(desk: Pick<CrawlDesk, 'pool'>, crawlId: string, web: Web): Promise<void> {
  expect(complaints(judge(web.log(), { delayMs: () => delayMs, expected: expectedOf(web.plan) }))).toEqual(
    [],
  );
  expect((await auditCrawl(desk.pool, crawlId))?.differences).toEqual([]);
}

describe('buttons of Temporal Web', () => {
  const world = withWorld();
  const desk = withDesk(world);
  let worker: WorkerProcess;
  let control: CrawlControl;
  let web: Web;
  let origin = '';

  beforeAll(async () => {
    control = createCrawlControl(desk.client, taskQueues.crawl);
    worker = await startWorker(world, { blobDir: makeBlobDir() });
  });
  afterAll(async () => {
    await worker.drain();
  });
  beforeEach(async () => {
    web = await startWeb({ seed: 71, hosts: 2, pages: 60, latencyMs: 2 });
    [origin = ''] = web.origins;
  });
  afterEach(() => web.stop());

  const handle = (id: string) => desk.client.workflow.getHandle(id);
  const statusOf = (id: string): Promise<string | null> =>
    handle(id).describe().then(({ status }) => status.name, () => null); // prettier-ignore
  const crawling = async (pages: number): Promise<string> => {
    const id = await desk.start(web.seeds, config);
    await until('pages come', () => web.log().length > pages);
    return id;
  };
  const isPaused = () =>
    until('it is paused', async () => (await hostRow(desk.pool, origin)).paused_at !== null);
  const ended = (id: string) =>
    until('it has ended', async () => (await tables.crawl.row(desk.pool, { id })).ended_at !== null);
  const stateOf = async (id: string) => {
    const { state, reason } = await tables.crawl.row(desk.pool, { id });
    return { state, reason };
  };

  it('Cancel of a host pauses it, of a crawl cancels it', async () => {
    const id = await crawling(8);
    await handle(hostWorkflowId(origin)).cancel();
    await isPaused();
    await handle(hostWorkflowId(origin)).terminate();
    const before = web.log().filter(({ url }) => url.startsWith(`${origin}/`)).length;
    await until('it is there again', async () => (await statusOf(hostWorkflowId(origin))) === 'RUNNING');
    await handle(`crawl/${id}`).cancel();
    await ended(id);
    expect(await stateOf(id)).toEqual({ state: 'cancelled', reason: 'cancelled in Temporal Web' });
    // One request may have been in flight.
    expect(web.log().filter(({ url }) => url.startsWith(`${origin}/`)).length).toBeLessThanOrEqual(
      before + 1,
    );
    await handle(hostWorkflowId(origin)).signal(resumeHostSignal);
    expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
  });

  it('Terminate of everything, again and again: the crawl ends whole', async () => {
    const id = await crawling(8);
    await handle(hostWorkflowId(origin)).signal(pauseHostSignal, 'a rest');
    await isPaused();
    await control.change(id, 'pause', 'lunch');
    for (const each of [`crawl/${id}`, hostWorkflowId(origin), hostWorkflowId(web.origins[1] ?? ''), 'scheduler/0'])
      await handle(each).terminate().catch(() => undefined);
    expect(await control.change(id, 'resume', null)).toEqual({ state: 'running', reason: null });
    await until('the paused one is there', async () => (await statusOf(hostWorkflowId(origin))) === 'RUNNING');
    await handle(hostWorkflowId(origin)).signal(resumeHostSignal);
    await handle(`crawl/${id}`).terminate();
    await handle('scheduler/0').cancel();
    await ended(id);
    expect(await stateOf(id)).toMatchObject({ state: 'finished', reason: 'complete' });
    await expectWhole(desk, id, web);
  }); // prettier-ignore

  it('Reset of a crawl and a host: they go on as things stand', async () => {
    const id = await crawling(8);
    await handle(hostWorkflowId(origin)).signal(pauseHostSignal, 'a rest');
    await isPaused();
    const reset = async (workflowId: string): Promise<void> => {
      const { runId } = await handle(workflowId).describe();
      const request: unknown = {
        ...{ namespace: world.namespace, workflowExecution: { workflowId, runId }, reason: 'a test' },
        ...{ workflowTaskFinishEventId: 4, requestId: `${workflowId} ${runId}` },
        // None: not even the signal that paused it.
        resetReapplyType: 2,
      };
      await desk.client.workflowService.resetWorkflowExecution(request as never);
    };
    await reset(hostWorkflowId(origin));
    await reset(`crawl/${id}`);
    const mode = () =>
      handle(hostWorkflowId(origin)).query<{ mode: string; pausedReason: string }>('state').catch(() => null);
    await until('it is paused again', async () => (await mode())?.mode === 'paused');
    expect(await mode()).toMatchObject({ pausedReason: 'a rest' });
    await handle(hostWorkflowId(origin)).signal(resumeHostSignal);
    await ended(id);
    await expectWhole(desk, id, web);
    await reset(`crawl/${id}`);
    expect(await handle(`crawl/${id}`).result()).toMatchObject({ state: 'finished', reason: 'complete' });
    expect(await stateOf(id)).toMatchObject({ state: 'finished', reason: 'complete' });
  }); // prettier-ignore

  it('Cancel and Terminate of an edit: it is applied all the same', async () => {
    const id = await crawling(4);
    const change = <T extends object>(settings: T): T => ({ ...settings, exclude: ['*7*'] });
    await storeEdit(desk.pool, id, { change, seen: null, author: 'a test', note: null, restores: null, mayEnd: false });
    await control.wakeJob('edit', id);
    await handle(`edit/${id}`).cancel().catch(() => undefined);
    await storeEdit(desk.pool, id, {
      change: (settings) => ({ ...settings, exclude: ['*8*'] }),
      ...{ seen: null, author: 'a test', note: null, restores: null, mayEnd: false },
    });
    await ended(id);
    await until('the edit is carried out', () => noEditPending(desk.pool, id));
    expect((await auditCrawl(desk.pool, id))?.differences).toEqual([]);
  }); // prettier-ignore
});

describe('all of Temporal’s data', () => {
  it('may be deleted in mid-crawl: the crawl ends whole and polite, a paused host stays paused', async () => {
    const settings = { allowPrivate: ['127.0.0.0/8'], roles: ['control', 'fetch', 'extract'] satisfies WorkerRole[] };
    const web = await startWeb({ seed: 72, hosts: 3, pages: 60, latencyMs: 2 });
    const [paused = ''] = web.origins;
    let own = await startOwnStack({ settings });
    const desk = await openDesk({ databaseUrl: own.stack.postgresUrl, temporalAddress: own.stack.temporalAddress, namespace: 'default' }); // prettier-ignore
    const id = await desk.start(web.seeds, config);
    await until('pages come', () => web.log().length > 12);
    await desk.client.workflow.getHandle(hostWorkflowId(paused)).signal(pauseHostSignal, 'a rest');
    await until('it is paused', async () => (await hostRow(desk.pool, paused)).paused_at !== null);
    await desk.close();
    await own.stack.stop();
    rmSync(path.join(own.dataDir, 'temporal'), { recursive: true });

    own = await startOwnStack({ settings, dataDir: own.dataDir });
    const pool = createPool(own.stack.postgresUrl, 2, () => undefined);
    const again = await openDesk({ databaseUrl: own.stack.postgresUrl, temporalAddress: own.stack.temporalAddress, namespace: 'default' }); // prettier-ignore
    const before = web.log().filter(({ url }) => url.startsWith(`${paused}/`)).length;
    const host = again.client.workflow.getHandle(hostWorkflowId(paused));
    await until('the paused host has a workflow', async () => (await host.query<{ mode: string }>('state').catch(() => null))?.mode === 'paused'); // prettier-ignore
    expect(web.log().filter(({ url }) => url.startsWith(`${paused}/`))).toHaveLength(before);
    await host.signal(resumeHostSignal);
    await until('it is complete', async () => (await tables.crawl.row(pool, { id })).reason === 'complete');
    await expectWhole({ pool }, id, web);
    await again.close();
    await pool.end();
    await own.close();
    await web.stop();
  }); // prettier-ignore

  it('may be deleted under a running stack: a Temporal that begins anew is made ready, and the crawl ends whole and polite', async () => {
    const settings = { allowPrivate: ['127.0.0.0/8'], roles: ['control', 'fetch', 'extract'] satisfies WorkerRole[] };
    const web = await startWeb({ seed: 73, hosts: 2, pages: 60, latencyMs: 2 });
    const own = await startOwnStack({ settings });
    const desk = await openDesk({ databaseUrl: own.stack.postgresUrl, temporalAddress: own.stack.temporalAddress, namespace: 'default' }); // prettier-ignore
    const id = await desk.start(web.seeds, config);
    await until('pages come', () => web.log().length > 12);
    const temporal = parseId(readFileSync(path.join(own.dataDir, 'run', 'temporal.id'), 'utf8'));
    rmSync(path.join(own.dataDir, 'temporal'), { recursive: true });
    expect(temporal !== null && signalProcess(temporal, 'SIGKILL')).toBe(true);
    await until('it is complete', async () => (await tables.crawl.row(desk.pool, { id })).reason === 'complete');
    await expectWhole(desk, id, web);
    // It knows no attribute that was not prepared anew.
    const found = () => desk.client.workflow.count('QueueDepth >= 0').then(({ count }) => count, () => 0);
    await until('Temporal finds the hosts by their attributes', async () => (await found()) > 0);
    await desk.close();
    await own.close();
    await web.stop();
  }); // prettier-ignore
});
