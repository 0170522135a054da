/**
 * docs/operations.md, "By symptom", followed by the letter in a browser: from what is seen in Temporal Web, by the
 * query, the page and the button that the section names, to a crawl that is whole (F40).
 *
 * @module-tag long
 */
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { hostWorkflowId } from '../../contracts/workflows.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { gaps, page, robots, startSite, status, type Site } from '../integration/activities/site.ts';
import { withDesk } from '../support/crawling.ts';
import { addFailingHost, lettersOf } from '../support/database/index.ts';
import { closedEndpoint, type Endpoint } from '../support/loopback.ts';
import { hasChromium, openTemporalWeb, type TemporalWeb } from '../support/temporal-web.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { until } from '../support/until.ts';

/** What is seen on the way is kept here; docs/images has copies. */
const screenshots = '.cache/screenshots';
const columns = ['CrawlState', 'QueueDepth', 'DeadLetters', 'LastError', 'NextFetchTime'];

describe.skipIf(!hasChromium())('docs/operations.md (needs chromium)', () => {
  const world = withWorld();
  const desk = withDesk(world);
  withWorker(world, { blobDir: makeBlobDir() });
  let web: TemporalWeb;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    web = await openTemporalWeb(inject('stack').temporalUiUrl ?? '', world.namespace);
  });
  afterAll(async () => {
    await web.close();
  });

  const pages = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');
  /** The row of a host in the list for a query; visibility lags a little. */
  const listed = async (query: string, origin: string): Promise<string> => {
    let row: string | undefined;
    // Without the browser first, for which each look costs the better part of a second.
    const ofHost = `(${query}) AND WorkflowId="${hostWorkflowId(origin)}"`;
    await until(
      `${origin} is found by ${query}`,
      async () => (await desk.client.workflow.count(ofHost)).count > 0,
    );
    await until(
      `${origin} is listed by ${query}`,
      async () => (row = (await web.list(query)).find((each) => each.includes(origin))) !== undefined,
    );
    return row ?? '';
  };
  const isListed = async (query: string, origin: string): Promise<boolean> =>
    (await web.list(query)).some((each) => each.includes(origin));
  const finished = async (crawl: string): Promise<void> => {
    expect(await desk.ended(crawl)).toMatchObject({ state: 'finished', reason: 'complete' });
    expect((await auditCrawl(desk.pool, crawl))?.differences).toEqual([]);
  };

  it('a host is parked', { tags: ['deep'] }, async () => {
    const at = await closedEndpoint();
    const { origin } = at;
    await addFailingHost(desk.pool, origin, 4);
    const crawl = await desk.start([`${origin}/`], { delaySeconds: 0.2 });
    await listed('`CrawlState`="parked"', origin);
    // An empty list has no columns to be chosen.
    await web.chooseColumns(columns, ['Run ID', 'Type', 'Start', 'End']);
    const row = await listed('`CrawlState`="parked"', origin);
    expect(row).toMatch(/parked\t0\t1\tconnect-refused: .*refused the connection/);
    await web.open(hostWorkflowId(origin));
    const details = await web.currentDetails();
    expect(details).toContain('is parked: its retries are spent');
    expect(details).toMatch(/What is wrong: connect-refused: .* \(since 2\d{3}-/);
    expect(details).toMatch(/What comes next: a probe at 2\d{3}-\S+: robots\.txt is requested/);
    expect(details).toContain('update redrive tries it with all its dead letters');
    await web.page.screenshot({ path: `${screenshots}/temporal-web-host.png` });
    const back = await answering(at);
    await web.update('redrive', 'null');
    await finished(crawl);
    await stopped(back);
  });

  it('a host is backing off: it has asked for thirty days', { tags: ['deep'] }, async () => {
    const site = await startSite({ '/': status(429, { 'retry-after': String(30 * 86_400) }) });
    const crawl = await desk.start([`${site.origin}/`], { delaySeconds: 0.2 });
    const row = await listed('`CrawlState`="backoff"', site.origin);
    expect(row).toContain('overloaded: answered 429');
    await web.open(hostWorkflowId(site.origin));
    const answered = performance.timeOrigin + (site.hits.at(-1)?.endedAt ?? NaN);
    const day = new Date(answered + 30 * 86_400_000).toISOString().slice(0, 10);
    expect(await web.currentDetails()).toContain(`What comes next: the next visit at ${day}`);
    site.answers = {};
    await web.update('retry');
    await finished(crawl);
    expect(pages(site)).toEqual(['/', '/']);
  });

  it('robots.txt cannot be read: the pending activity says so', { tags: ['deep'] }, async () => {
    const site = await startSite({ '/robots.txt': status(503) });
    await addFailingHost(desk.pool, site.origin, 3);
    const crawl = await desk.start([`${site.origin}/`], { delaySeconds: 0.2 });
    await listed('`CrawlState`="backoff" OR `CrawlState`="active"', site.origin);
    await web.open(hostWorkflowId(site.origin));
    let pending = '';
    await until('the failed visit is shown', async () =>
      /HostFailure/.test((pending = await web.pendingActivities())),
    );
    expect(pending).toContain('robots.txt answers 503, so nothing may be fetched');
    expect(pending).toContain('fetchSlice');
    await web.page.screenshot({ path: `${screenshots}/temporal-web-pending.png` });
    expect(pages(site)).toEqual([]);
    site.answers = {};
    await web.update('retry');
    await finished(crawl);
  });

  it('a queue is deep: the host is one’s own, and may be asked faster', { tags: ['deep'] }, async () => {
    const links = Array.from({ length: 60 }, (_, at) => `<a href="/${String(at)}">${String(at)}</a>`).join(
      ' ',
    );
    // What robots.txt asks for, an operator may set aside; the delay a crawl asks for is that of its own turns.
    const site = await startSite({
      '/': page(links),
      '/robots.txt': robots('User-agent: *', 'Crawl-delay: 4'),
    });
    const crawl = await desk.start([`${site.origin}/`], { delaySeconds: null });
    const row = await listed('`QueueDepth` >= 10', site.origin);
    expect(row).toMatch(/active\t10\t/);
    await web.open(hostWorkflowId(site.origin));
    expect(await web.currentDetails()).toMatch(/4 s/);
    const before = gaps(site).length;
    await web.update('setDelay', '0.1');
    await finished(crawl);
    expect(Math.min(...gaps(site).slice(0, before))).toBeGreaterThan(3_900);
    expect(gaps(site).filter((gap) => gap < 1_000).length).toBeGreaterThan(20);
  });

  it('dead letters pile up: one class goes again', { tags: ['deep'] }, async () => {
    // Six minutes of delays: the host's workflow is still at hand when a browser on a busy machine has found its buttons.
    const more = Array.from({ length: 120 }, (_, at) => `<a href="/more?${String(at)}">${String(at)}</a>`);
    const astray = { location: 'http://' };
    const slow = { '/robots.txt': robots('User-agent: *', 'Crawl-delay: 3'), '/ok': page(more.join(' ')) };
    const site = await startSite({
      ...slow,
      '/1': status(301, astray),
      '/2': status(302, astray),
      '/no': status(403),
    });
    const urls = ['/1', '/2', '/no', '/ok'].map((path) => site.origin + path);
    const crawl = await desk.start(urls, { delaySeconds: null });
    await until('three have failed', async () => (await lettersOf(desk.pool, crawl)).length === 3);
    const row = await listed('`DeadLetters` > 0', site.origin);
    expect(row).toMatch(/active\t\d+\t[1-3]\t/);
    site.answers = { ...slow, '/no': status(403) };
    await web.open(hostWorkflowId(site.origin));
    await web.update('redrive', '{"class": "bad-redirect"}');
    await web.update('setDelay', '0.1');
    await until(
      'one alone is refused',
      async () =>
        (await lettersOf(desk.pool, crawl)).filter((letter) => letter.class === 'forbidden').length === 1,
    );
    await finished(crawl);
    expect(pages(site).filter((path) => path === '/1')).toHaveLength(2);
    expect(pages(site).filter((path) => path === '/no')).toHaveLength(1);
    // Everything is done: no host is left in trouble.
    await until('no host is parked', async () => !(await isListed('`CrawlState`="parked"', '127.')));
  });
});

async function answering({ port, address }: Endpoint): Promise<Server> {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/robots.txt' ? 404 : 200;
    response.setHeader('content-type', 'text/html');
    response.end('<title>Back again</title>');
  });
  await new Promise<void>((up) => server.listen(port, address, up));
  return server;
}

function stopped(server: Server): Promise<unknown> {
  server.closeAllConnections();
  return new Promise((down) => server.close(down));
}
