/**
 * Records the histories that replay.test.ts replays: every workflow in every way it can go. Run by
 * `npm run histories` when a workflow's behaviour has changed on purpose, in a version that is not released yet;
 * after a release the change is patched instead and its new history is saved beside the old ones.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import {
  editedSignal,
  editWorkflowId,
  pauseHostSignal,
  redriveHostUpdate,
  redriveWorkflowId,
  resumeHostSignal,
  retryHostUpdate,
  taskQueues,
} from '../../contracts/workflows.ts';
import { storeEdit } from '../../storage/crawl-edits.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { bare, startOwnStack } from '../support/start-stack.ts';
import { startWorker } from '../support/worker.ts';
import { startWeb, type Web } from '../web/server.ts';
import { refusedOnce } from './webhook-scenario.ts';

const saved = join(import.meta.dirname, 'saved');
const folder = mkdtempSync(join(tmpdir(), 'orbweaver-histories-'));
const { stack, close } = await startOwnStack(bare);
const world = {
  databaseUrl: stack.postgresUrl,
  temporalAddress: stack.temporalAddress,
  namespace: 'default',
  redisUrl: null,
};

/** Stack traces name the folders of the machine they were recorded on. */
const withoutTraces = (key: string, value: unknown): unknown => (key === 'stackTrace' ? '' : value);

/** The history of a run of a workflow: the first, the latest, or by its id, as JSON that names its workflow id. */
async function save(desk: CrawlDesk, name: string, workflowId: string, run: string): Promise<void> {
  const handle = desk.client.workflow.getHandle(workflowId);
  const { raw } = await handle.describe();
  const firstRun = raw.workflowExtendedInfo?.resetRunId ?? undefined;
  const runs: string[] = [];
  for await (const each of desk.client.workflow.list({ query: `WorkflowId = "${workflowId}"` }))
    runs.push(each.runId);
  const runId = run === 'first' ? runs.at(-1) : run === 'latest' ? runs[0] : run;
  const history = await desk.client.workflow.getHandle(workflowId, runId ?? firstRun).fetchHistory();
  writeFileSync(
    join(saved, `${name}.json`),
    JSON.stringify({ workflowId, history: JSON.parse(historyToJSON(history)) as unknown }, withoutTraces, 1) +
      '\n',
  );
  console.log(`${name}: ${String(history.events?.length ?? 0)} events`);
}

const host = (origin: string): string => `host/${origin}`;
const settled = (desk: CrawlDesk, id: string, count: number): Promise<void> =>
  desk.until(`select count(*) >= $2 as yes from url where crawl_id = $1 and state = 'done'`, [id, count]);

async function hostMode(desk: CrawlDesk, origin: string, mode: string): Promise<void> {
  for (;;) {
    const view = await desk.client.workflow
      .getHandle(host(origin))
      .query<{ mode: string }>('state')
      .catch(() => null);
    if (view?.mode === mode) return;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

/** "Request Cancellation" in Temporal Web: what the run made of it that was cancelled. */
async function cancelled(desk: CrawlDesk, name: string, workflowId: string): Promise<void> {
  const { runId } = await desk.client.workflow.getHandle(workflowId).describe();
  const run = desk.client.workflow.getHandle(workflowId, runId, { followRuns: false });
  await run.cancel();
  await run.result().catch(() => undefined);
  await save(desk, name, workflowId, runId);
}

const scenarios: readonly [string, number, (desk: CrawlDesk, web: Web) => Promise<void>][] = [
  [
    'ordinary crawl, host and scheduler',
    10,
    async (desk, web) => {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.05 });
      await desk.ended(id);
      await save(desk, 'crawl-ordinary', `crawl/${id}`, 'latest');
      await save(desk, 'host-ordinary', host(web.origins[0] ?? ''), 'latest');
      await save(desk, 'scheduler-ordinary', 'scheduler/0', 'latest');
    },
  ],
  [
    'continue-as-new: a step for each URL',
    0,
    async (desk, web) => {
      const id = await desk.start(web.seeds.slice(0, 1), { scope: 'host', delaySeconds: 0 });
      await desk.ended(id);
      await save(desk, 'host-continued-first', host(web.origins[0] ?? ''), 'first');
      await save(desk, 'host-continued-latest', host(web.origins[0] ?? ''), 'latest');
    },
  ],
  [
    'host paused and resumed',
    10,
    async (desk, web) => {
      const [origin = ''] = web.origins;
      const id = await desk.start(web.seeds.slice(0, 1), { scope: 'host', delaySeconds: 0.3 });
      await settled(desk, id, 3);
      const handle = desk.client.workflow.getHandle(host(origin));
      await handle.signal(pauseHostSignal, 'to be recorded');
      await hostMode(desk, origin, 'paused');
      await handle.signal(resumeHostSignal);
      await settled(desk, id, 8);
      await desk.client.workflow.getHandle(`crawl/${id}`).executeUpdate('cancel', { args: [null] });
      await desk.ended(id);
      await save(desk, 'host-paused', host(origin), 'latest');
      await save(desk, 'crawl-cancelled', `crawl/${id}`, 'latest');
    },
  ],
  [
    'settings edited, and edited again',
    10,
    async (desk, web) => {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.3 });
      await settled(desk, id, 6);
      for (const exclude of [['*7*'], []]) {
        const change = (config: CrawlConfig): CrawlConfig => ({ ...config, exclude });
        await storeEdit(desk.pool, id, {
          change,
          seen: null,
          author: 'a recorder',
          note: null,
          restores: null,
        });
        await desk.client.workflow.signalWithStart('edit', {
          workflowId: editWorkflowId(id),
          taskQueue: taskQueues.crawl,
          args: [{ crawlId: id }],
          signal: editedSignal,
        });
      }
      await desk.until(
        `select count(*) = 0 as yes from crawl_config where crawl_id = $1 and state = 'pending'`,
        [id],
      );
      await desk.client.workflow.getHandle(editWorkflowId(id)).result();
      await desk.client.workflow.getHandle(`crawl/${id}`).executeUpdate('cancel', { args: [null] });
      await desk.ended(id);
      await save(desk, 'edit-applied', editWorkflowId(id), 'latest');
    },
  ],
  [
    'crawl paused and resumed',
    10,
    async (desk, web) => {
      const id = await desk.start(web.seeds.slice(0, 1), { scope: 'host', delaySeconds: 0.3, maxPages: 10 });
      await settled(desk, id, 3);
      const handle = desk.client.workflow.getHandle(`crawl/${id}`);
      await handle.executeUpdate('pause', { args: ['to be recorded'] });
      await handle.executeUpdate('resume');
      await desk.ended(id);
      await save(desk, 'crawl-paused', `crawl/${id}`, 'latest');
    },
  ],
  [
    'host, crawl and scheduler cancelled in Temporal Web',
    10,
    async (desk, web) => {
      const [origin = ''] = web.origins;
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.3 });
      await settled(desk, id, 6);
      await cancelled(desk, 'host-cancelled-visiting', host(origin));
      await cancelled(desk, 'host-cancelled-paused', host(origin));
      await desk.client.workflow.getHandle(host(origin)).signal(resumeHostSignal);
      await cancelled(desk, 'scheduler-cancelled', 'scheduler/0');
      await cancelled(desk, 'crawl-cancelled-in-web', `crawl/${id}`);
      await desk.ended(id);
    },
  ],
  [
    'an idle host cancelled',
    10,
    async (desk, web) => {
      const [origin = ''] = web.origins;
      const id = await desk.start(web.seeds.slice(0, 1), { scope: 'host', delaySeconds: 0, maxPages: 3 });
      await desk.ended(id);
      await cancelled(desk, 'host-cancelled-idle', host(origin));
      await desk.client.workflow.getHandle(host(origin)).signal(resumeHostSignal);
    },
  ],
];

/** A host that refuses connections: it backs off, parks, is retried, and answers then. */
async function parkedAndRetried(desk: CrawlDesk): Promise<void> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? '<title>Back</title><p>Here again.</p>' : '');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((up) => server.once('listening', up));
  const { port } = server.address() as AddressInfo;
  await new Promise((down) => server.close(down));
  const origin = `http://127.0.0.1:${String(port)}`;
  const id = await desk.start([`${origin}/`], { delaySeconds: 0.1 });
  await hostMode(desk, origin, 'parked');
  await save(desk, 'host-parked', host(origin), 'latest');
  await cancelled(desk, 'host-cancelled-parked', host(origin));
  server.listen(port, '127.0.0.1');
  await desk.ended(id);
  await desk.client.workflow.getHandle(host(origin)).executeUpdate(retryHostUpdate);
  await settled(desk, id, 1);
  await save(desk, 'host-parked-retried', host(origin), 'latest');
  await new Promise((down) => server.close(down));
}

/**
 * A host that refuses connections parks, and is found well by its second probe; a dead letter of its own is driven
 * again by an update, and one by the crawl's re-drive.
 */
async function probedAndRedriven(desk: CrawlDesk): Promise<void> {
  let ill = true;
  const server = createServer((request, response) => {
    response.statusCode = ill && request.url?.startsWith('/bad') === true ? 301 : 200;
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/robots.txt' ? '' : '<title>Well</title>');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((up) => server.once('listening', up));
  const { port } = server.address() as AddressInfo;
  await new Promise((down) => server.close(down));
  const origin = `http://127.0.0.1:${String(port)}`;
  await desk.pool.query(
    'insert into host (origin, shard, failures, failing_since) values ($1, 0, 4, now())',
    [origin],
  );
  // The delay keeps the host's workflow there when the update comes.
  const urls = ['/bad1', '/bad2', '/1', '/2', '/3', '/4'].map((path) => origin + path);
  const id = await desk.start(urls, { delaySeconds: 1 });
  await hostMode(desk, origin, 'parked');
  const handle = desk.client.workflow.getHandle(host(origin));
  while ((await handle.query<{ probes: number }>('state')).probes < 1)
    await new Promise((wake) => setTimeout(wake, 100));
  server.listen(port, '127.0.0.1');
  const letters = `select count(*) = $2 as yes from dead_letter where crawl_id = $1 and class = 'bad-redirect'`;
  await desk.until(letters, [id, 2]);
  ill = false;
  await handle.executeUpdate(redriveHostUpdate, { args: [{ url: `${origin}/bad1` }] });
  await desk.until(letters, [id, 1]);
  await desk.client.workflow.execute('redrive', {
    workflowId: redriveWorkflowId(id),
    taskQueue: taskQueues.crawl,
    args: [{ crawlId: id, origin, class: null, url: null, mayUnpark: true }],
  });
  await settled(desk, id, urls.length);
  await save(desk, 'host-probed-redriven', host(origin), 'latest');
  await save(desk, 'redrive-crawl', redriveWorkflowId(id), 'latest');
  await new Promise((down) => server.close(down));
}

mkdirSync(saved, { recursive: true });
const desk = await openDesk(world);
try {
  for (const [what, sliceSeconds, run] of scenarios) {
    console.log(what);
    const worker = await startWorker(world, { blobDir: join(folder, 'blobs'), sliceSeconds });
    const web = await startWeb({ seed: 31, hosts: 2, pages: 60, latencyMs: 1 });
    await run(desk, web);
    await web.stop();
    await worker.drain();
  }
  console.log('backoff, parked, retried');
  const worker = await startWorker(world, { blobDir: join(folder, 'blobs') });
  await parkedAndRetried(desk);
  console.log('webhook, refused once');
  await save(desk, 'webhook-retried', await refusedOnce(desk), 'latest');
  await worker.drain();
  console.log('parked, found well by a probe, dead letters driven again');
  const prober = await startWorker(world, { blobDir: join(folder, 'blobs'), probeSeconds: 1 });
  await probedAndRedriven(desk);
  await prober.drain();
} finally {
  await desk.close();
  await close();
  rmSync(folder, { recursive: true, force: true });
}
