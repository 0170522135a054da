/**
 * Finish criteria through a worker that is killed, a pause and a resume: reached, hardly exceeded, and final.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import { sliceSize } from '../../domain/slice.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { ask } from '../integration/api/asking.ts';
import { closedGate } from '../support/gate.ts';
import { until } from '../support/until.ts';
import { withServing } from '../support/serving.ts';
import { makeBlobDir } from '../support/worker.ts';

const delaySeconds = 0.1;
const sliceSeconds = 1;
const wantedPages = 60;

const serving = withServing({ blobDir: makeBlobDir(), sliceSeconds, leaseSeconds: 3 });
const { desk, api } = serving;
/** Each page links to the next two: there is always more than has been fetched. */
const endless: Answer = (response, request) => {
  const page = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0);
  const links = [1, 2].map((step) => `<a href="/page/${String(2 * page + step)}">on</a>`).join(' ');
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(`<title>Page ${String(page)} of ${String(request.headers.host)}</title>${links}`);
};

const pagesOf = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');

it('a crawl is killed at, paused and resumed, and ends for its criterion with its count', async () => {
  const sites = await Promise.all([1, 2, 3].map(() => startSite()));
  // Beyond so many pages no answer comes until the crawl is paused: it is not at its end by then.
  const paused = closedGate();
  let most = Infinity;
  const answer: Answer = (...request) => (asked() > most ? paused.behind(endless) : endless)(...request);
  for (const site of sites)
    site.answers = Object.fromEntries(
      Array.from({ length: 500 }, (_, page) => [`/page/${String(page)}`, answer]),
    );
  const asked = (): number => sites.reduce((sum, site) => sum + pagesOf(site).length, 0);
  const wanted = {
    seeds: sites.map((site) => `${site.origin}/page/0`),
    allowPrivate: ['127.0.0.0/8'],
    delaySeconds,
    finish: { any: [{ pages: wantedPages }] },
  };
  const { body } = await ask<CreatedCrawl>(api.url, serving.key, 'POST', '/v1/crawls', wanted);
  const path = `/v1/crawls/${body.id}`;
  const view = async (): Promise<CrawlView> => (await ask<CrawlView>(api.url, serving.key, 'GET', path)).body;

  await until('pages are fetched', () => asked() >= 15);
  await serving.killWorker();
  expect((await view()).endedAt).toBeNull();
  await serving.nextWorker();
  const before = asked();
  most = before + 5;
  await until('the next worker goes on', () => asked() > most);

  expect((await ask(api.url, serving.key, 'POST', `${path}/pause`, {})).status).toBe(200);
  paused.open();
  await until('nothing is in flight', async () => (await view()).ledger.leased === 0);
  const early = await view();
  expect(early).toMatchObject({ state: 'paused' });
  expect(early.pages).toBeLessThan(wantedPages);
  expect((await ask(api.url, serving.key, 'POST', `${path}/resume`, {})).status).toBe(200);

  await until('it has ended', async () => (await view()).endedAt !== null);
  const ended = await view();
  expect(ended).toMatchObject({
    state: 'finished',
    reason: `finish-criteria: ${String(wantedPages)} pages`,
  });
  expect(ended.pages).toBeGreaterThanOrEqual(wantedPages);
  const slice = sliceSize(sliceSeconds * 1_000, delaySeconds * 1_000);
  expect(ended.pages).toBeLessThanOrEqual(wantedPages + sites.length * slice);
  expect(ended.ledger).toMatchObject({ queued: 0, leased: 0 });
  expect((await auditCrawl(desk.pool, body.id))?.differences).toEqual([]);

  // What it was made for it has: neither seeds nor settings that it has met already set it going again.
  const seeds = { urls: [`${sites[0]?.origin ?? ''}/page/499`] };
  expect((await ask(api.url, serving.key, 'POST', `${path}/seeds`, seeds)).status).toBe(409);
  const met = { finish: { any: [{ pages: wantedPages - 1 }] } };
  expect((await ask(api.url, serving.key, 'PATCH', path, met)).status).toBe(409);
  expect((await ask(api.url, serving.key, 'POST', `${path}/resume`, {})).status).toBe(409);
  expect(await view()).toMatchObject({ state: 'finished', pages: ended.pages });
});
