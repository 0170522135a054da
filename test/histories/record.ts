/**
 * Records the histories that replay.test.ts replays: every workflow in every way it can go. Run by
 * `npm run histories` when a workflow's behaviour has changed on purpose, in a version that is not released yet;
 * after a release the change is patched instead and its new history is saved beside the old ones.
 * `npm run histories -- parked` records only the scenarios whose name has that word. What a crawl of a small web does
 * not come to is recorded from scripts (scripted/).
 */
import { jobWorkflowId } from '../../contracts/jobs.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import {
  dropHostUpdate,
  lostVisitSignal,
  pauseHostSignal,
  redriveHostUpdate,
  resumeHostSignal,
  retryHostUpdate,
  schedulerWorkflowId,
  setDelayUpdate,
  wakeSignal,
} from '../../contracts/workflows.ts';
import { jobWorkflow, wakeJob } from '../../activities/open-workflows.ts';
import { storeEdit } from '../../storage/edits/index.ts';
import { openDesk, type CrawlDesk } from '../support/crawling.ts';
import { addFailingHost, lettersOf, noEditPending } from '../support/database/index.ts';
import { bare, startOwnStack } from '../support/start-stack.ts';
import { startWorker, type WorkerSettings } from '../support/worker.ts';
import { startWeb, type Web } from '../web/server.ts';
import { cancelled, host, hostMode, reset, save, settled } from './recorder.ts';
import { saved, silenceReplays } from './saved-histories.ts';
import { crawlScripts } from './scripted/crawls.ts';
import { hostScripts } from './scripted/hosts.ts';
import { otherScripts } from './scripted/others.ts';
import { playAll } from './scripted/stage.ts';
import { refusedOnce } from './webhook-scenario.ts';
import { until } from '../support/until.ts';

type Scenario = (desk: CrawlDesk, web: Web) => Promise<void>;
const scenarios: readonly [string, Partial<WorkerSettings>, Scenario][] = [
  [
    'ordinary crawl, host and scheduler',
    { sliceSeconds: 10 },
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
    { sliceSeconds: 0 },
    async (desk, web) => {
      const urls = Array.from({ length: 90 }, (_, at) => `${web.origins[0] ?? ''}/page/${String(at)}`);
      const id = await desk.start(urls, { scope: 'host', delaySeconds: 0 });
      await desk.ended(id);
      await save(desk, 'host-continued-first', host(web.origins[0] ?? ''), 'first');
      await save(desk, 'host-continued-latest', host(web.origins[0] ?? ''), 'latest');
    },
  ],
  [
    'host paused and resumed',
    { sliceSeconds: 10 },
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
    { sliceSeconds: 10 },
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
          mayEnd: false,
        });
        await wakeJob(desk.client.workflow, 'edit', id);
      }
      await until('the edit is carried out', () => noEditPending(desk.pool, id));
      await desk.client.workflow.getHandle(jobWorkflowId('edit', id)).result();
      await desk.client.workflow.getHandle(`crawl/${id}`).executeUpdate('cancel', { args: [null] });
      await desk.ended(id);
      await save(desk, 'edit-applied', jobWorkflowId('edit', id), 'latest');
    },
  ],
  [
    'crawl paused and resumed',
    { sliceSeconds: 10 },
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
    'crawl cancelled while it is paused',
    { sliceSeconds: 10 },
    async (desk, web) => {
      const id = await desk.start(web.seeds.slice(0, 1), { scope: 'host', delaySeconds: 0.3 });
      await settled(desk, id, 3);
      const handle = desk.client.workflow.getHandle(`crawl/${id}`);
      await handle.executeUpdate('pause', { args: ['to be recorded'] });
      await handle.executeUpdate('cancel', { args: [null] });
      await desk.ended(id);
      await save(desk, 'crawl-cancelled-paused', `crawl/${id}`, 'latest');
    },
  ],
  [
    'what operators ask of a host at work',
    { sliceSeconds: 10 },
    async (desk, web) => {
      const [origin = ''] = web.origins;
      const id = await desk.start(web.seeds.slice(0, 1), { scope: 'host', delaySeconds: 0.3 });
      await settled(desk, id, 3);
      const handle = desk.client.workflow.getHandle(host(origin));
      await handle.executeUpdate(setDelayUpdate, { args: [0.4] });
      await handle.executeUpdate(redriveHostUpdate, { args: [{ class: 'client-error' }] });
      await handle.executeUpdate(retryHostUpdate);
      await handle.executeUpdate(dropHostUpdate, { args: ['to be recorded'] });
      await desk.ended(id);
      await save(desk, 'host-asked', host(origin), 'latest');
    },
  ],
  [
    'host, crawl and scheduler cancelled in Temporal Web',
    { sliceSeconds: 10 },
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
    'a host whose visit is lost',
    { sliceSeconds: 10 },
    async (desk, web) => {
      const [origin = ''] = web.origins;
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.2 });
      await settled(desk, id, 4);
      await desk.client.workflow.getHandle(host(origin)).signal(lostVisitSignal, null);
      await desk.ended(id);
      await save(desk, 'host-visit-lost', host(origin), 'latest');
    },
  ],
  [
    'host and crawl reset in Temporal Web',
    { sliceSeconds: 10 },
    async (desk, web) => {
      const [origin = ''] = web.origins;
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.1 });
      await settled(desk, id, 6);
      const hostRun = await reset(desk, host(origin));
      const crawlRun = await reset(desk, `crawl/${id}`);
      await desk.ended(id);
      await save(desk, 'host-reset', host(origin), hostRun);
      await save(desk, 'crawl-reset', `crawl/${id}`, crawlRun);
    },
  ],
  [
    'a scheduler whose run has become long',
    {},
    async (desk, web) => {
      const id = await desk.start(web.seeds, { scope: 'any', delaySeconds: 0.2 });
      await settled(desk, id, 1);
      const scheduler = desk.client.workflow.getHandle(schedulerWorkflowId(0));
      const { runId } = await scheduler.describe();
      // Each wakes it for a tick.
      while ((await scheduler.describe()).runId === runId) await scheduler.signal(wakeSignal);
      await save(desk, 'scheduler-bounded-continued', schedulerWorkflowId(0), runId);
      await desk.ended(id);
    },
  ],
  ['a host in backoff, parked, retried', {}, parkedAndRetried],
  [
    'a webhook, refused once',
    {},
    async (desk) => {
      await save(desk, 'webhook-retried', await refusedOnce(desk), 'latest');
    },
  ],
  ['a parked host, found well by a probe, dead letters driven again', { probeSeconds: 1 }, probedAndRedriven],
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
    if (ill && request.url?.startsWith('/bad') === true) response.setHeader('location', 'http://');
    response.statusCode = ill && request.url?.startsWith('/bad') === true ? 301 : 200;
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/robots.txt' ? '' : '<title>Well</title>');
  });
  server.listen(0, '127.0.0.1');
  await new Promise((up) => server.once('listening', up));
  const { port } = server.address() as AddressInfo;
  await new Promise((down) => server.close(down));
  const origin = `http://127.0.0.1:${String(port)}`;
  await addFailingHost(desk.pool, origin, 4);
  // The delay keeps the host's workflow there when the update comes.
  const urls = ['/bad1', '/bad2', '/1', '/2', '/3', '/4'].map((path) => origin + path);
  const id = await desk.start(urls, { delaySeconds: 1 });
  await hostMode(desk, origin, 'parked');
  const handle = desk.client.workflow.getHandle(host(origin));
  while ((await handle.query<{ probes: number }>('state')).probes < 1)
    await new Promise((wake) => setTimeout(wake, 100));
  server.listen(port, '127.0.0.1');
  const letters = (count: number): Promise<void> =>
    until(
      'letters are written',
      async () =>
        (await lettersOf(desk.pool, id)).filter((letter) => letter.class === 'bad-redirect').length === count,
    );
  await letters(2);
  ill = false;
  await handle.executeUpdate(redriveHostUpdate, { args: [{ url: `${origin}/bad1` }] });
  await letters(1);
  const ask = { origin, class: null, url: null, mayUnpark: true };
  await desk.client.workflow.execute('job', jobWorkflow({ kind: 'redrive', id, ask }));
  await settled(desk, id, urls.length);
  await save(desk, 'host-probed-redriven', host(origin), 'latest');
  await save(desk, 'redrive-crawl', jobWorkflowId('redrive', id), 'latest');
  await new Promise((down) => server.close(down));
}

mkdirSync(saved, { recursive: true });
const [, , word = ''] = process.argv;
const chosen = scenarios.filter(([what]) => what.includes(word));
const scripts = [...hostScripts, ...crawlScripts, ...otherScripts].filter(({ name }) => name.includes(word));
if (chosen.length + scripts.length === 0) {
  console.error(`No scenario has “${word}” in its name.`);
  process.exit(2);
}
if (chosen.length > 0) await recordAll(chosen);
if (scripts.length > 0) {
  // Not sooner: the runtime of Temporal's SDK keeps a process alive until a worker of it has ended.
  silenceReplays();
  await playAll(scripts);
}

async function recordAll(chosen: typeof scenarios): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-histories-'));
  const { stack, close } = await startOwnStack(bare);
  const world = {
    databaseUrl: stack.postgresUrl,
    temporalAddress: stack.temporalAddress,
    namespace: 'default',
    redisUrl: null,
  };
  const desk = await openDesk(world);
  try {
    for (const [what, settings, run] of chosen) {
      console.log(what);
      const crawler = await startWorker(world, { blobDir: join(folder, 'blobs'), ...settings });
      const web = await startWeb({ seed: 31, hosts: 2, pages: 60, latencyMs: 1 });
      await run(desk, web);
      await web.stop();
      await crawler.drain();
    }
  } finally {
    await desk.close();
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}
