/**
 * Temporal Web as the operator's desk: hosts are found, read, paused, resumed and retried in a browser (F40). A browser on
 * these pages takes as much of a processor as thirty test files: `npm run verify` has one of the desk's paths (desk.test.ts).
 *
 * @module-tag deep
 */
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { PageView } from '../../contracts/http/results.ts';
import { crawlWorkflowId, hostWorkflowId } from '../../contracts/workflows.ts';
import { reservePort, type ReservedPort } from '../../stack/ports.ts';
import { allPages } from '../support/all-pages.ts';
import { withDesk } from '../support/crawling.ts';
import { hasChromium, openTemporalWeb, type TemporalWeb } from '../support/temporal-web.ts';
import { makeBlobDir, withWorker } from '../support/worker.ts';
import { withWorld } from '../support/world.ts';
import { until } from '../support/until.ts';
import { expectedOf } from '../web/expected.ts';
import { complaints, judge } from '../web/judge.ts';
import { startWeb, type Web } from '../web/server.ts';

const delayMs = 1_000;
/** What is seen on the way is kept here; docs/images has copies. */
const screenshots = '.cache/screenshots';
const columns = ['CrawlState', 'QueueDepth', 'DeadLetters', 'LastError', 'NextFetchTime'];

describe.skipIf(!hasChromium())('Temporal Web (needs chromium)', () => {
  const world = withWorld();
  const desk = withDesk(world);
  withWorker(world, { blobDir: makeBlobDir() });
  let web: Web;
  let desktop: TemporalWeb;
  let crawlId: string;
  /** A port on which nothing listens until the host there is to be retried. */
  let closedPort: ReservedPort;
  let late: Server | undefined;
  const askedLate: string[] = [];
  let refusing = '';
  let paused = '';

  const asked = (host: string) => web.log().filter(({ url }) => url.startsWith(`${host}/`)).length;
  /** The one host listed in a state. The list fills a moment after it is shown, and visibility lags a little. */
  const listed = async (state: string): Promise<string> => {
    let rows: string[] = [];
    // Without the browser first, for which each look costs the better part of a second.
    const query = `\`CrawlState\`="${state}"`;
    await until(
      `one host is found as ${state}`,
      async () => (await desk.client.workflow.count(query)).count === 1,
    );
    await until(
      `one host is listed as ${state}`,
      async () => (rows = await desktop.list(query)).length === 1,
    );
    return rows[0] ?? '';
  };

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    // More than are asked for while the browser does its work.
    web = await startWeb({ seed: 31, hosts: 2, pages: 80, crossShare: 0 });
    closedPort = await reservePort({ what: 'a host that is away', fixed: null, usual: null });
    paused = web.origins[0] ?? '';
    refusing = `http://127.0.0.1:${String(closedPort.port)}`;
    desktop = await openTemporalWeb(inject('stack').temporalUiUrl ?? '', world.namespace);
    crawlId = await desk.start([...web.seeds, `${refusing}/`], { delaySeconds: null });
  });
  afterAll(async () => {
    await desktop.close();
    await web.stop();
    if (late !== undefined) await closed(late);
    closedPort.release();
  });

  it('pauses a host by a signal: no further request', async () => {
    await until('some pages were asked for', () => asked(paused) > 3);
    await desktop.open(hostWorkflowId(paused));
    expect(JSON.parse(await desktop.queryState())).toMatchObject({ mode: 'active', paused: false });
    await desktop.signal('pause', '"its owner asked for a rest"');
    await until('the host is paused', async () => (await desktop.queryState()).includes('"mode": "paused"'));
    const before = asked(paused);
    await delay(4 * delayMs);
    expect(asked(paused)).toBe(before);
    // The other host did go on.
    const lastOf = (isPaused: boolean): number =>
      web.log().findLast(({ url }) => url.startsWith(`${paused}/`) === isPaused)?.start ?? NaN;
    expect(lastOf(false)).toBeGreaterThan(lastOf(true) + 4 * delayMs);
    expect(JSON.parse(await desktop.queryState())).toMatchObject({ mode: 'paused', paused: true });
    const details = await desktop.currentDetails();
    expect(details).toContain(`${paused} is paused by an operator`);
    expect(details).toContain('its owner asked for a rest');
    expect(details).toContain(`Wanted by: crawl ${crawlId}`);
    expect(await listed('paused')).toContain(paused);
  });

  it('shows how a crawl stands, and links to the page of a host that it waits for', async () => {
    const waits = async (): Promise<boolean> => {
      await desktop.open(crawlWorkflowId(crawlId));
      return (await desktop.currentDetails()).includes(`${paused} (paused, `);
    };
    await until('the page of the crawl tells of the host', waits);
    const popup = desktop.page.waitForEvent('popup');
    const page = desktop.page.locator('iframe').last().contentFrame();
    await page.getByRole('link', { name: paused }).click();
    const host = await popup;
    await host.getByTestId('history-tab').waitFor();
    expect(host.url()).toContain(`/workflows/${encodeURIComponent(hostWorkflowId(paused))}/`);
    await host.close();
  });

  it('lists a parked host with its search attributes, and says what is wrong with it', async () => {
    await desktop.chooseColumns(columns, ['Run ID', 'Type', 'Start', 'End']);
    const row = await listed('parked');
    expect(row).toMatch(/host\/(\S+)\tparked\t0\t1\tconnect-refused: .*refused the connection/);
    expect(row).toContain(refusing);
    await desktop.list('`WorkflowType`="host"');
    await desktop.page.screenshot({ path: `${screenshots}/temporal-web-hosts.png` });

    await desktop.open(hostWorkflowId(refusing));
    expect(JSON.parse(await desktop.searchAttributes())).toMatchObject({
      indexedFields: {
        CrawlState: 'parked',
        DeadLetters: 1,
        QueueDepth: 0,
        LastError: expect.stringContaining('connect-refused') as string,
      },
    });
    const details = await desktop.currentDetails();
    expect(details).toContain(`${refusing} is parked: its retries are spent`);
    expect(details).toContain('refused the connection');
    expect(details).toContain('Update retry tries the host again');
    await desktop.page.screenshot({ path: `${screenshots}/temporal-web-host.png` });
  });

  it('resumes a host by a signal, and changes its pace by an update', async () => {
    const before = asked(paused);
    await desktop.open(hostWorkflowId(paused));
    await desktop.signal('resume');
    await until('the host goes on', () => asked(paused) > before);
    expect(JSON.parse(await desktop.queryState())).toMatchObject({ mode: 'active', paused: false });
    await desktop.update('setDelay', '0.2');
    const starts = () =>
      web
        .log()
        .filter(({ host }) => paused.endsWith(host))
        .map(({ start }) => start);
    await until('the host is asked faster', () => gapsOf(starts()).some((gap) => gap < delayMs / 2));
  });

  it('retries a parked host by an update: its page is in the result', async () => {
    late = createServer((request, response) => {
      askedLate.push(request.url ?? '');
      response.statusCode = request.url === '/' ? 200 : 404;
      response.setHeader('content-type', 'text/html');
      response.end('<title>Back again</title><p>The host is back.');
    });
    late.listen(closedPort.port, '127.0.0.1');
    expect(askedLate).toEqual([]);
    await desktop.open(hostWorkflowId(refusing));
    await desktop.update('retry');
    await until('its page is fetched', () => askedLate.includes('/'));
    expect(askedLate).toEqual(['/robots.txt', '/']);
    expect(await desk.ended(crawlId)).toMatchObject({ state: 'finished', reason: 'complete' });
    const pages: PageView[] = [];
    for await (const page of allPages(desk.pool, crawlId)) pages.push(page);
    expect(pages.find(({ url }) => url === `${refusing}/`)).toMatchObject({
      state: 'done',
      status: 200,
      title: 'Back again',
    });
    const expected = expectedOf(web.plan);
    const pace = (host: string) => (paused.endsWith(host) ? 200 : delayMs);
    expect(complaints(judge(web.log(), { delayMs: pace, expected }))).toEqual([]);
    expect(pages).toHaveLength(expected.must.size + 1);
  });
});

const gapsOf = (starts: readonly number[]): number[] =>
  starts.slice(1).map((start, index) => start - (starts[index] ?? start));

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}
