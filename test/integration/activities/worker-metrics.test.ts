/**
 * A real worker serves its own metrics, and no crawl reaches the port (F42).
 *
 * @module-tag long
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { lint, promtool } from '../../support/promtool.ts';
import { measurePoliteness } from '../../../storage/instance/index.ts';
import { one } from '../../../storage/postgres/index.ts';
import { openDesk } from '../../support/crawling.ts';
import { urlStates } from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { makeBlobDir, startWorker } from '../../support/worker.ts';
import { withWorld } from '../../support/world.ts';

const world = withWorld();

it('tells what it did, and lets no crawl ask the port', async () => {
  // The worker has the first free port of sixteen: this one, or one near it.
  const first = 20_000 + Math.floor(Math.random() * 10_000);
  const worker = await startWorker(world, {
    blobDir: makeBlobDir(),
    environment: { ORBWEAVER_METRICS_PORT: String(first) },
  });
  onTestFinished(async () => {
    expect(await worker.drain()).toBe(0);
  });
  const said = worker.log.find((line) => line.includes('metrics are served')) ?? '{}';
  const { port } = JSON.parse(said) as { port: number };
  const metrics = `http://127.0.0.1:${String(port)}/metrics`;

  const site = createServer(({ url = '' }, response) => {
    const texts: Readonly<Record<string, string>> = {
      '/robots.txt': 'User-agent: *\nDisallow: /private\n',
      '/': ['/a', '/b', '/gone', '/private', metrics].map((to) => `<a href="${to}">x</a>`).join(''),
      '/a': '<p>the same</p>',
      '/b': '<p>the same</p>',
    };
    const type = url === '/robots.txt' ? 'text/plain' : 'text/html';
    response.writeHead(texts[url] === undefined ? 404 : 200, { 'content-type': type });
    response.end(texts[url] ?? '');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  onTestFinished(() => {
    site.close();
  });
  const desk = await openDesk(world);
  onTestFinished(() => desk.close());
  const { port: sitePort } = site.address() as AddressInfo;
  const crawl = await desk.start([`http://127.0.0.1:${String(sitePort)}/`], {
    ...{ scope: 'any', delaySeconds: 0.2 },
  });
  expect(await desk.ended(crawl)).toMatchObject({ state: 'finished' });
  expect(await urlStates(desk.pool, {})).toEqual({
    ...{ 'done:fetched': 3, 'dead:gone': 1, 'excluded:robots': 1, 'excluded:address-refused': 1 },
  });

  let text = '';
  const figure = (name: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`orbweaver_${name} `));
    return Number(line?.split(' ')[1]);
  };
  // Where the time went is counted once it is written, which the end of the crawl does not wait for.
  await until('the time is told', async () => {
    text = await (await fetch(metrics)).text();
    return figure('host_time_seconds_total{cause="delay"}') > 0.2;
  });
  // robots.txt, and three pages.
  expect(figure('requests_total{class="2xx"}')).toBe(4);
  expect(figure('requests_total{class="4xx"}')).toBe(1);
  expect(figure('requests_total{class="no_answer"}')).toBe(0);
  expect(figure('requests_early_total')).toBe(0);
  expect(figure('robots_refusals_total')).toBe(1);
  expect(figure('bodies_total{as="page"}')).toBe(2);
  expect(figure('bodies_total{as="copy"}')).toBe(1);
  // The seed, five links and the results.
  expect(figure('commit_rows_sum')).toBeGreaterThan(8);
  expect(figure('commit_duration_seconds_count')).toBeGreaterThan(0);
  expect(figure('leases_lost_total')).toBe(0);
  // The host's own delay is a second.
  expect(figure('smallest_gap_seconds')).toBeGreaterThanOrEqual(0.2);
  // Infinite, had nobody told it.
  expect(figure('smallest_gap_seconds')).toBeLessThan(600);
  // Everybody learns of it from Postgres, also when this process is gone.
  await until('Postgres is told of the gap', async () => {
    const { week_gap, too_soon } = await one(measurePoliteness(desk.pool));
    return week_gap === figure('smallest_gap_seconds') && too_soon === 0;
  });
  expect(figure('overload_answers_total{status="503"}')).toBe(0);
  expect(figure('page_links_sum')).toBe(5);
  expect(figure('links_total{as="new"}')).toBe(5);
  expect(figure('disk_free_bytes')).toBeGreaterThan(0);
  expect(figure('postgres_connections{state="idle"}')).toBeGreaterThan(0);
  expect(figure('breaker_open{dependency="postgres"}')).toBe(0);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  // What Temporal's SDK measures stands in the same answer.
  expect(text).toMatch(/^temporal_workflow_task_execution_latency_seconds_count\{[^}\n]*\} [1-9]/m);
  expect(promtool === null ? '' : lint(text)).toBe('');
});
