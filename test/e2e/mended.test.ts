/**
 * A site that was down is mended, and crawled again: its host is parked, and the new crawl has it asked once (F14).
 *
 * @module-tag deep
 */
import { createServer, type Server } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { actOnHost } from '../../activities/act-on-host.ts';
import type { HostAction } from '../../contracts/hosts.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { optOut } from '../../storage/opt-outs/index.ts';
import { park } from '../../storage/hosts/index.ts';
import { troubleClasses } from '../../domain/trouble.ts';
import {
  hostStateQuery,
  hostWorkflowId,
  type HostCarried,
  type HostView,
} from '../../contracts/workflows.ts';
import { withDesk } from '../support/crawling.ts';
import {
  addFailingHost,
  addHost,
  addLetter,
  addUrl,
  crawlState,
  fromNow,
  hostIdOf,
  lettersOf,
  not,
  tables,
} from '../support/database/index.ts';
import { closedEndpoint, type Endpoint } from '../support/loopback.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { until } from '../support/until.ts';

const world = withWorld();
const desk = withDesk(world);
withWorker(world, { blobDir: makeBlobDir() });
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A parked host on a port on which nothing listens, and a crawl that failed there. */
async function parkedHost(): Promise<{
  readonly origin: string;
  readonly at: Endpoint;
  readonly first: string;
}> {
  const at = await closedEndpoint();
  const { origin } = at;
  await addFailingHost(desk.pool, origin, 4);
  const first = await desk.start([`${origin}/`], { delaySeconds: 0.1 });
  expect(await desk.ended(first)).toMatchObject({ state: 'failed' });
  return { origin, at, first };
}

async function listenOn({ port, address }: Endpoint): Promise<string[]> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.statusCode = request.url === '/robots.txt' ? 404 : 200;
    response.setHeader('content-type', 'text/html');
    response.end('<title>Back</title>');
  });
  servers.push(server);
  await new Promise<void>((up) => server.listen(port, address, up));
  return asked;
}
const exact = async (crawl: string): Promise<void> => {
  expect((await auditCrawl(desk.pool, crawl))?.differences).toEqual([]);
};
const asking = () => tables.queue.count(desk.pool, { asking: not(null) });

describe('a new crawl with seeds at a parked host', () => {
  it('goes on at once where the host answers again, and the earlier crawl with it', async () => {
    const { origin, at, first } = await parkedHost();
    const asked = await listenOn(at);
    const began = performance.now();
    const crawl = await desk.start([`${origin}/new`], { delaySeconds: 0.1 });
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(asked[0]).toBe('/robots.txt');
    await until('the first goes on', async () => (await desk.ended(first)).state === 'finished');
    expect(asked.slice(1).sort()).toEqual(['/', '/new']);
    await exact(crawl);
    expect(await asking()).toBe(0);
  });

  it('fails once the host was asked in vain, and its next probe comes when it would have', async () => {
    const { origin } = await parkedHost();
    const view = () =>
      desk.client.workflow.getHandle(hostWorkflowId(origin)).query(hostStateQuery) as Promise<
        HostView & HostCarried
      >;
    const { probeAt } = await view();
    const crawl = await desk.start([`${origin}/new`], { delaySeconds: 0.1 });
    expect(await desk.ended(crawl)).toMatchObject({ state: 'failed', reason: 'no URL could be fetched' });
    await until('it was asked', async () => (await view()).lastProbe !== null);
    expect(await view()).toMatchObject({ probes: 0, probeAt });
    await exact(crawl);
    expect(await asking()).toBe(0);
  });

  it('gets its answer where the workflow of the host is gone', async () => {
    const { origin, at } = await parkedHost();
    await desk.client.workflow.getHandle(hostWorkflowId(origin)).terminate();
    const asked = await listenOn(at);
    const crawl = await desk.start([`${origin}/new`], { delaySeconds: 0.1 });
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
    expect(asked).toContain('/new');
  });

  it('sends nothing before the time that the host asked for, nor to one that has opted out', async () => {
    const { address, origin } = await closedEndpoint();
    const hostId = await addHost(desk.pool, origin, { not_before: fromNow(3_600) });
    await park(desk.pool, String(hostId), 'overloaded: answered 503', troubleClasses);
    await desk.client.workflow.start('host', {
      workflowId: hostWorkflowId(origin),
      taskQueue: 'control',
      args: [{ hostId: String(hostId), origin, carried: { ...carried, probeAt: Date.now() + 3_600_000 } }],
    });
    const crawl = await desk.start([`${origin}/new`], { delaySeconds: 0.1 });
    const asked = async () =>
      Number((await tables.queue.rows(desk.pool, { crawl_id: crawl }))[0]?.asking) > 0;
    await until('it is asked', asked);
    const view = () => desk.client.workflow.getHandle(hostWorkflowId(origin)).query(hostStateQuery);
    await until('it waits', async () => ((await view()).nextVisit ?? 0) > Date.now() + 3_000_000);
    await until('it runs', async () => (await crawlState(desk.pool, crawl)) === 'running');
    await optOut(desk.pool, address, null);
    expect(await desk.ended(crawl)).toMatchObject({ state: 'failed' });
    const second = await desk.start([`${origin}/other`], { delaySeconds: 0.1 });
    expect(await desk.ended(second)).toMatchObject({ state: 'failed' });
  });
});

describe('an operator', () => {
  const idOf = (origin: string): Promise<string> => hostIdOf(desk.pool, origin);
  const act = async (origin: string, action: HostAction, reason: string | null = null) =>
    actOnHost(desk.pool, desk.client.workflow, { id: await idOf(origin), origin }, action, reason);
  const mode = async (origin: string) =>
    (await desk.client.workflow.getHandle(hostWorkflowId(origin)).query(hostStateQuery)).mode;

  it('has a parked host tried again, its workflow there or not', async () => {
    for (const gone of [false, true]) {
      const { origin, at, first } = await parkedHost();
      const asked = await listenOn(at);
      if (gone) await desk.client.workflow.getHandle(hostWorkflowId(origin)).terminate();
      await act(origin, 'retry');
      await until('the crawl goes on', () => asked.includes('/'));
      await until('it ends', async () => (await desk.ended(first)).state === 'finished');
      await exact(first);
    }
  });

  it('that has it tried again queues what the host may have caused, and no URL that killed workers', async () => {
    const { origin, at, first } = await parkedHost();
    for (const [path, reason] of [
      ['/failing', 'server-error'],
      ['/killing', 'poison'],
    ] as const) {
      const place = await addUrl(desk.pool, first, origin + path, { state: 'failed', depth: 1, reason });
      await addLetter(desk.pool, first, place, reason);
    }
    const asked = await listenOn(at);
    await act(origin, 'retry');
    await until('the crawl goes on', () => asked.includes('/failing'));
    await until('it ends', async () => (await desk.ended(first)).state === 'finished');
    expect(asked).not.toContain('/killing');
    expect((await lettersOf(desk.pool, first)).map((letter) => letter.class)).toEqual(['poison']);
    await exact(first);
  });

  it('pauses a host before anything is asked of it, resumes it, and drops what is queued', async () => {
    const at = await closedEndpoint();
    const { origin } = at;
    const asked = await listenOn(at);
    await addHost(desk.pool, origin);
    await act(origin, 'pause', 'a rest');
    await until('it is paused', async () => (await mode(origin)) === 'paused');
    const crawl = await desk.start([`${origin}/1`, `${origin}/2`], { delaySeconds: 0.1 });
    const queued = (id: string, urls: number): Promise<void> =>
      until(
        'it is queued',
        async () => (await tables.queue.count(desk.pool, { crawl_id: id, queued: urls })) === 1,
      );
    await queued(crawl, 2);
    expect(await act(origin, 'drop', 'not that one')).toEqual({ dropped: 2, more: false });
    expect(await desk.ended(crawl)).toMatchObject({ state: 'failed' });
    const second = await desk.start([`${origin}/1`], { delaySeconds: 0.1 });
    await queued(second, 1);
    expect(asked).toEqual([]);
    await act(origin, 'resume');
    expect(await desk.ended(second)).toMatchObject({ state: 'finished', cause: 'complete' });
    expect(asked).toContain('/1');
    await exact(crawl);
  });
});

const carried = {
  ...{ version: 1, paused: false, parked: true, pausedReason: null, lastError: 'overloaded: answered 503' },
  ...{ troubleSince: null, fetched: 0, deadLetters: 0, queued: 0, delayMs: 0, probeMs: 3_600_000, probes: 0 },
  ...{ wantedBy: { crawls: [], more: 0 }, lastProbe: null },
};
