import { jobWorkflowId } from '../../../contracts/jobs.ts';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCrawlControl, type CrawlControl } from '../../../api/crawls/crawl-control.ts';
import { patrol } from '../../../activities/patrol.ts';
import { defaultCrawlConfig } from '../../../contracts/crawl.ts';
import { crawlWorkflowId } from '../../../contracts/workflows.ts';
import { defaultKeepFresh } from '../../../domain/recrawl/keep-fresh.ts';
import pino from 'pino';
import {
  addUrl,
  changeCrawl,
  changeHost,
  fromNow,
  setState,
  skipCrawlIds,
  tables,
  urlStates,
} from '../../support/database/index.ts';
import { oneRound } from '../../support/chores.ts';
import { quietRuntime } from '../../support/quiet-runtime.ts';
import { newCrawl } from './world.ts';
import { withWorld, withPool } from '../../support/world.ts';

const world = withWorld();
const pool = withPool(world);
let connection: Connection;
let native: NativeConnection;
let client: Client;
let control: CrawlControl;
let worker: Worker;
let running: Promise<void>;
/** No outcome comes: the control is to wait for it only as long as it does for callers. */
let isInVain = false;
/** Seconds may pass on a busy machine until Temporal and the worker have answered; the control gives up sooner. */
const patient = (): Client => {
  const withDeadline = <T>(deadline: number | Date, call: () => Promise<T>): Promise<T> => {
    const isOutcome = Number(deadline) - Date.now() > 6_000;
    return connection.withDeadline(isInVain && isOutcome ? deadline : Date.now() + 120_000, call);
  };
  const { workflow, workflowService } = client;
  return { connection: { withDeadline }, workflow, workflowService } as unknown as Client;
};

beforeAll(async () => {
  quietRuntime();
  const { temporalAddress: address, namespace } = world;
  connection = Connection.lazy({ address });
  client = new Client({ connection, namespace });
  control = createCrawlControl(patient(), 'crawl');
  native = await NativeConnection.connect({ address });
  worker = await Worker.create({
    connection: native,
    namespace,
    taskQueue: 'crawl',
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('stub-workflows.ts', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    }),
  });
  running = worker.run();
});

afterAll(async () => {
  worker.shutdown();
  await running;
  await native.close();
  await connection.close();
});

describe('the crawl control', () => {
  it('starts a workflow once, and tells it to pause, resume and end', async () => {
    await control.start('1');
    await control.start('1');
    expect(await control.change('1', 'pause', 'lunch')).toEqual({ state: 'paused', reason: 'lunch' });
    expect(await control.change('1', 'resume', null)).toEqual({ state: 'running', reason: null });
    expect(await control.change('1', 'cancel', null)).toEqual({ state: 'cancelled', reason: null });
    expect(await client.workflow.getHandle(crawlWorkflowId('1')).result()).toBe('1');
  });

  it('says who refused: the workflow, with its words', async () => {
    await control.start('2');
    await control.change('2', 'pause', null);
    await expect(control.change('2', 'pause', null)).rejects.toMatchObject({
      fault: 'refused',
      message: 'it is paused already',
    });
  });

  it('starts the workflow of a crawl that has lost it', async () => {
    await control.start('3');
    await client.workflow.getHandle(crawlWorkflowId('3')).terminate();
    expect(await control.change('3', 'pause', 'lunch')).toEqual({ state: 'paused', reason: 'lunch' });
  });

  it('says when Temporal is away', { tags: ['long'] }, async () => {
    // Port 1 (tcpmux) is nobody's.
    const away = Connection.lazy({ address: '127.0.0.1:1' });
    const blind = createCrawlControl(new Client({ connection: away }), 'crawl');
    await expect(blind.start('1')).rejects.toMatchObject({ fault: 'unavailable' });
    await expect(blind.ping()).rejects.toMatchObject({ fault: 'unavailable' });
    await away.close();
  });

  it(
    'has dead letters driven again: with what came of it, or how far it is; one at a time',
    { tags: ['long'] },
    async () => {
      const of = (crawlId: string) => ({ crawlId, origin: null, class: null, url: null, mayUnpark: true });
      expect(await control.redrive(of('1'))).toMatchObject({ done: true, view: { requeued: 5 } });
      expect(await control.redrive(of('1'))).toMatchObject({ done: true });
      isInVain = true;
      expect(await control.redrive(of('2'))).toMatchObject({ done: false, view: { requeued: 5 } });
      isInVain = false;
      await expect(control.redrive(of('2'))).rejects.toMatchObject({
        fault: 'refused',
        message: 'another re-drive of its dead letters is still running',
      });
    },
  );

  it('a re-drive that is stopped in Temporal Web says so', async () => {
    const of = { crawlId: '4', origin: null, class: null, url: null, mayUnpark: true };
    const stopped = control.redrive(of);
    const handle = client.workflow.getHandle(jobWorkflowId('redrive', '4'));
    await expect.poll(() => handle.cancel().then(() => true, () => false)).toBe(true); // prettier-ignore
    await expect(stopped).rejects.toMatchObject({ fault: 'refused', message: /ended in Temporal Web/ });
  });

  it('the patrol starts crawls whose API died before it could, and edits, and leaves those alone that run', async () => {
    // Past those that had workflows above.
    await skipCrawlIds(pool, 100);
    const [crawl, edited, ended] = await Promise.all([1, 2, 3].map(() => newCrawl(pool)));
    await setState(pool, String(ended), 'finished', 'complete');
    await tables.config.add(pool, {
      ...{ crawl_id: edited, version: 2, config: {}, state: 'pending', rereads: false },
      created_at: fromNow(-11),
    });
    const chore = patrol(pool, client.workflow, client.schedule, 1, 'postgres', pino({ level: 'silent' }));
    const running = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const id of [`crawl/${String(crawl)}`, `crawl/${String(ended)}`, `edit/${String(edited)}`, 'scheduler/0']) {
        const told = await client.workflow.getHandle(id).describe().catch(() => null);
        if (told?.status.name === 'RUNNING') found.push(`${id} ${told.runId}`);
      }
      return found;
    }; // prettier-ignore
    await oneRound(chore);
    const first = await running();
    expect(first.map((each) => each.split(' ')[0])).toEqual(
      [`crawl/${String(crawl)}`, `edit/${String(edited)}`, 'scheduler/0'], // prettier-ignore
    );
    await oneRound(chore);
    expect(await running()).toEqual(first);
  });

  it('the patrol makes the schedule of a standing crawl anew whenever it is gone', async () => {
    const crawl = await newCrawl(pool);
    await changeCrawl(pool, crawl, { config: { ...defaultCrawlConfig, keepFresh: defaultKeepFresh } });
    const chore = patrol(pool, client.workflow, client.schedule, 1, 'postgres', pino({ level: 'silent' }));
    const schedule = client.schedule.getHandle(jobWorkflowId('recrawl', crawl));
    for (let round = 0; round < 3; round++) {
      await oneRound(chore);
      // Rejects where there is none.
      await schedule.delete();
    }
  });

  it('the patrol puts back what a killed worker left leased at a paused host', async () => {
    const crawl = await newCrawl(pool);
    const { hostId } = await addUrl(pool, crawl, 'https://left.example/', { state: 'leased' });
    await changeHost(pool, hostId, { paused_at: fromNow(), lease_token: 1, lease_until: fromNow(-1) });
    await tables.url.change(pool, { host_id: hostId }, { lease_token: 1 });
    await oneRound(patrol(pool, client.workflow, client.schedule, 1, 'postgres', pino({ level: 'silent' })));
    expect(await urlStates(pool, { host_id: hostId })).toEqual({ queued: 1 });
  });
});
