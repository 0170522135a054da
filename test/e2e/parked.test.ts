/**
 * Hosts that give up and come back: probes of parked hosts, re-drives, and waits of days (F14, G4, G7).
 *
 * @module-tag deep
 */
import { createServer, type Server } from 'node:http';
import { defineSearchAttributeKey } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCrawlControl, type CrawlControl } from '../../api/crawls/crawl-control.ts';
import {
  type HostCarried,
  type HostView,
  hostStateQuery,
  hostWorkflowId,
  redriveHostUpdate,
  retryHostUpdate,
  taskQueues,
  wakeSignal,
} from '../../contracts/workflows.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { page, startSite, status, type Site } from '../integration/activities/site.ts';
import { withDesk } from '../support/crawling.ts';
import { addFailingHost, hadSettings, hostRow, tables, urlsDone } from '../support/database/index.ts';
import { closedEndpoint, type Endpoint } from '../support/loopback.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { closedGate } from '../support/gate.ts';
import { until } from '../support/until.ts';

const probeSeconds = 2;
const nextFetchTime = defineSearchAttributeKey('NextFetchTime', 'DATETIME');
const days30 = 30 * 86_400;
const config = { delaySeconds: 0.2 };

const world = withWorld();
const desk = withDesk(world);
let worker: WorkerProcess;
let control: CrawlControl;
const blobDir = makeBlobDir();

beforeAll(async () => {
  control = createCrawlControl(desk.client, taskQueues.crawl);
  worker = await startWorker(world, { blobDir, probeSeconds });
});
afterAll(async () => {
  await worker.drain();
});

const workflow = (origin: string) => desk.client.workflow.getHandle(hostWorkflowId(origin));
type View = HostView & HostCarried;
const view = (origin: string): Promise<View> => workflow(origin).query(hostStateQuery) as Promise<View>;
const inMode = (origin: string, mode: string) =>
  until(`${origin} is ${mode}`, async () => (await view(origin).catch(() => null))?.mode === mode);
const letters = async (crawlId: string): Promise<string[]> =>
  (await tables.letter.rows(desk.pool, { crawl_id: crawlId })).map((row) => row.class);
const areDone = (crawlId: string, urls: number): Promise<void> =>
  until(`${String(urls)} are done`, async () => (await urlsDone(desk.pool, crawlId)) === urls);
const expectExact = async (crawlId: string): Promise<void> => {
  expect((await auditCrawl(desk.pool, crawlId))?.differences).toEqual([]);
};

interface Timer {
  readonly seconds: number;
}
async function timersOf(origin: string): Promise<Timer[]> {
  const { events } = await workflow(origin).fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer }) =>
    timer === null || timer === undefined
      ? []
      : [{ seconds: Number(timer.startToFireTimeout?.seconds ?? 0) }],
  );
}

/** Answers on a port on which nothing listened until now. */
async function listenOn({ port, address }: Endpoint, asked: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.statusCode = request.url === '/robots.txt' ? 404 : 200;
    response.setHeader('content-type', 'text/html');
    response.end('<title>Back</title>');
  });
  await new Promise<void>((up) => server.listen(port, address, up));
  return server;
}
const closed = (server: Server): Promise<unknown> => {
  server.closeAllConnections();
  return new Promise((down) => server.close(down));
};
const pages = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');

describe('a parked host', () => {
  it('is asked again by a growing timer, across kills and long histories, and goes on by itself', async () => {
    const at = await closedEndpoint();
    const { origin } = at;
    await addFailingHost(desk.pool, origin, 4);
    await hadSettings(desk.pool, origin, { delaySeconds: 25 });
    const crawl = await desk.start([`${origin}/`], config);
    await inMode(origin, 'parked');
    expect(await desk.ended(crawl)).toMatchObject({ state: 'failed' });
    expect(await letters(crawl)).toEqual(['connect-refused']);
    // Not before its delay is over, which is longer here than the wait for a first probe; its backoff of 32 s has
    // ended with the parking, since the host did not ask for it.
    const { probeAt, nextVisit } = await view(origin);
    expect(probeAt).toBe(nextVisit);
    const { parked_at: parkedAt } = await hostRow(desk.pool, origin);
    const left = (probeAt ?? 0) - Number(parkedAt);
    expect(left).toBeGreaterThan(15_000);
    expect(left).toBeLessThanOrEqual(25_000);
    await hadSettings(desk.pool, origin, { delaySeconds: null });

    await worker.kill();
    worker = await startWorker(world, { blobDir, probeSeconds });
    // Many messages make a long history: it goes on as a new run, with its timer where it was.
    const { runId } = await workflow(origin).describe();
    await Promise.all(Array.from({ length: 410 }, () => workflow(origin).signal(wakeSignal)));
    await until('it goes on as a new run', async () => (await workflow(origin).describe()).runId !== runId);
    expect((await view(origin)).probeAt).toBe(probeAt);

    let parked = await view(origin);
    let timers: Timer[] = [];
    await until('it was probed twice, and is not being probed', async () => {
      parked = await view(origin);
      timers = await timersOf(origin);
      return parked.probes >= 2 && parked.probes === (await view(origin)).probes;
    });
    // The trouble that parked it stays its trouble.
    expect(parked.lastError).toMatch(/^connect-refused/);
    expect(parked.lastProbe).toMatch(/refused the connection/);
    // Doubled each time, and spread by 15 % (domain/trouble.ts).
    for (let probe = 1; probe <= parked.probes; probe++) {
      const wait = timers.at(probe - parked.probes - 1)?.seconds;
      const doubled = 2 ** probe * probeSeconds;
      expect(wait).toBeGreaterThanOrEqual(Math.floor(0.85 * doubled));
      expect(wait).toBeLessThanOrEqual(1.15 * doubled);
    }

    const asked: string[] = [];
    const server = await listenOn(at, asked);
    await areDone(crawl, 1);
    expect(asked).toEqual(['/robots.txt', '/']);
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
    expect(await letters(crawl)).toEqual([]);
    await until('its workflow has learnt that', async () => (await view(origin)).probes === 0);
    await expectExact(crawl);
    await closed(server);
  });
});

describe('dead letters', () => {
  it('of a host go again by an update: one class, one URL, or all', async () => {
    const site = await startSite({ '/bad': status(400), '/worse': status(402), '/no': status(403) });
    const crawl = await desk.start(
      ['/', '/bad', '/worse', '/no'].map((path) => site.origin + path),
      { ...config, maxDepth: 0 },
    );
    // 400 and 402 have a second try after ten seconds.
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished' });
    expect((await letters(crawl)).sort()).toEqual(['client-error', 'client-error', 'forbidden']);
    // The host has no workflow once it is without work, so this answer has to wait until nothing is asked of it any more.
    const updated = closedGate();
    site.answers = { '/bad': updated.behind(page('well')) };
    // A host without work has no workflow; by the crawl's re-drive it gets one again.
    const tries = pages(site).filter((path) => path === '/bad').length;
    const input = {
      crawlId: crawl,
      origin: null,
      class: null,
      url: `${site.origin}/bad#part`,
      mayUnpark: true,
    };
    const { done, view: came } = await control.redrive(input);
    expect({ done, ...came }).toMatchObject({ done: true, requeued: 1, resting: 0, unparked: false });
    await until('it is asked again', () => pages(site).filter((path) => path === '/bad').length > tries);
    const update = (choice: object | null) =>
      workflow(site.origin).executeUpdate(redriveHostUpdate, { args: [choice] });
    expect(await update({ class: 'timeout' })).toBe('0 dead letters are queued again');
    expect(await update(null)).toMatch(
      /^1 dead letter is queued again; 1 dead letter of class forbidden is left alone until 7 days after the answer, the first until 2\d{3}-/,
    );
    for (const choice of [{ class: 'gone' }, { klass: 'timeout' }, 'timeout', { url: 5 }]) {
      await expect(update(choice as object)).rejects.toThrow(/Update/);
    }
    updated.open();
    await areDone(crawl, 3);
    expect(pages(site).filter((path) => path === '/no')).toHaveLength(1);
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
    expect(await letters(crawl)).toEqual(['forbidden']);
    await expectExact(crawl);
  });

  it('of a parked host wait for it, unless the whole host is driven again', async () => {
    const at = await closedEndpoint();
    const { origin } = at;
    await addFailingHost(desk.pool, origin, 4);
    const crawl = await desk.start([`${origin}/`, `${origin}/2`], config);
    await inMode(origin, 'parked');
    await desk.ended(crawl);
    const of = (choice: object) => ({
      crawlId: crawl,
      origin: null,
      class: null,
      url: null,
      mayUnpark: true,
      ...choice,
    });
    const one = await control.redrive(of({ class: 'connect-refused' }));
    expect(one.view).toMatchObject({ requeued: 1, atParked: 1, unparked: false });
    expect((await view(origin)).mode).toBe('parked');
    const asked: string[] = [];
    const server = await listenOn(at, asked);
    const all = await control.redrive(of({ origin }));
    expect(all.view).toMatchObject({ atParked: 0, unparked: true });
    await areDone(crawl, 2);
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
    await expectExact(crawl);
    await closed(server);
  });
});

describe('a Retry-After of 30 days', () => {
  const nextTime = async (origin: string): Promise<number> => {
    const { raw } = await workflow(origin).describe();
    const [pending] = raw.pendingActivities ?? [];
    const time = pending?.nextAttemptScheduleTime ?? pending?.scheduledTime;
    return Number(time?.seconds ?? 0) * 1_000;
  };
  const expect30Days = (ms: number): void => {
    expect(ms / 1_000).toBeGreaterThan(days30 - 60);
    expect(ms / 1_000).toBeLessThanOrEqual(days30 + 1);
  };
  it('is a durable timer: no activity, no lease, other hosts go on, and an operator may be sooner', async () => {
    const slow = await startSite({ '/': status(429, { 'retry-after': String(days30) }) });
    const well = await startSite({ '/': page('<a href="/2">2</a>') });
    const crawl = await desk.start([`${slow.origin}/`, `${well.origin}/`], config);
    await inMode(slow.origin, 'backoff');
    await until('its timer stands', async () => (await view(slow.origin)).nextVisit !== null);
    await until('the other is crawled', () => pages(well).includes('/'));
    expect30Days(((await view(slow.origin)).nextVisit ?? 0) - Date.now());
    const [timer] = (await timersOf(slow.origin)).slice(-1);
    expect30Days((timer?.seconds ?? 0) * 1_000);
    const { raw, typedSearchAttributes } = await workflow(slow.origin).describe();
    expect(raw.pendingActivities ?? []).toEqual([]);
    expect30Days((typedSearchAttributes.get(nextFetchTime)?.getTime() ?? 0) - Date.now());
    expect(await hostRow(desk.pool, slow.origin)).toMatchObject({ lease_token: null, failures: 1 });
    expect(pages(slow)).toEqual(['/']);

    slow.answers = {};
    await workflow(slow.origin).executeUpdate(retryHostUpdate);
    await until('it is asked again', () => pages(slow).length === 2);
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
  });

  it('as a date, in trouble that goes on: the retry of a pending activity that runs nowhere', async () => {
    const slow = await startSite({
      '/': (response, request, times) => {
        const date = new Date(Date.now() + days30 * 1_000).toUTCString();
        status(429, { 'retry-after': times === 1 ? '1' : date })(response, request, times);
      },
    });
    const crawl = await desk.start([`${slow.origin}/`], config);
    await until('it was asked twice', () => pages(slow).length === 2);
    await until('Temporal waits', async () => (await nextTime(slow.origin)) > Date.now() + 86_400_000);
    expect30Days((await nextTime(slow.origin)) - Date.now());
    const { raw } = await workflow(slow.origin).describe();
    expect(raw.pendingActivities?.[0]).toMatchObject({
      attempt: 2,
      // PENDING_ACTIVITY_STATE_SCHEDULED: no worker has it.
      state: 1,
    });
    expect(raw.pendingActivities?.[0]?.lastFailure?.message).toContain('overloaded: answered 429');
    expect(await hostRow(desk.pool, slow.origin)).toMatchObject({ lease_token: null });
    slow.answers = {};
    await workflow(slow.origin).executeUpdate(retryHostUpdate);
    await until('it is asked again', () => pages(slow).length === 3);
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', cause: 'complete' });
  });
});
