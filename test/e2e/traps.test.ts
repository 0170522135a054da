/**
 * A site with a trap of each kind before real workers, judged by the site's own log: what a trap may cost, that no good
 * page is lost to it, and that a crawl of an endless site ends. Then its quarantine: explained, previewed, released.
 *
 * @module-tag deep
 */
import { expect, it } from 'vitest';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { Explanation } from '../../contracts/http/explain.ts';
import type { QuarantinePreview, QuarantineView } from '../../contracts/http/quarantine.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { ask } from '../integration/api/asking.ts';
import { withServing } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { makeBlobDir } from '../support/worker.ts';
import { goodPages, trapAt, trapKinds, trapSitePage } from '../traps/web.ts';
import { withHttpServer } from '../support/http-server.ts';

/** Pages of a shape that are read before it is held, and most pages that a trap may cost beside a maze in prose. */
const [floor, mostPages] = [100, 700];

// Fetching waits for reading, by which traps are found: otherwise a slow machine would be ahead by hundreds of pages.
const serving = withServing({
  blobDir: makeBlobDir(),
  environment: { ORBWEAVER_UNREAD_PAGES: '60', ORBWEAVER_TRAP_PAGES: String(floor) },
});
const asked: string[] = [];
const site = withHttpServer((request, response) => {
  const path = request.url ?? '/';
  if (path === '/robots.txt') {
    response.writeHead(404).end();
    return;
  }
  asked.push(path);
  const body = trapSitePage(path, asked.length);
  response.writeHead(body === null ? 404 : 200, { 'content-type': 'text/html' }).end(body ?? '');
});

const call = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
  const { api, key } = serving;
  const answer = await ask<T>(api.url, key, method, path, body);
  expect([path, answer.status]).toEqual([path, answer.status < 300 ? answer.status : 200]);
  return answer.body;
};
const countOf = (paths: readonly string[], kind: string): number =>
  paths.filter((path) => trapAt(path) === kind).length;

it('costs little of each trap and no good page, ends, and says what it kept back', async () => {
  const { pool } = serving.desk;
  const { id } = await call<CreatedCrawl>('POST', '/v1/crawls', {
    ...{ seeds: [`${site.origin}/`], allowPrivate: ['127.0.0.0/8'], delaySeconds: 0.01 },
  });
  const view = (): Promise<CrawlView> => call('GET', `/v1/crawls/${id}`);
  await until('the crawl is over', async () => (await view()).endedAt !== null, 600_000);
  const costs = Object.fromEntries(Object.keys(trapKinds).map((kind) => [kind, countOf(asked, kind)]));
  expect(Object.entries(costs).filter(([, pages]) => pages === 0 || pages > mostPages)).toEqual([]);
  const good = new Set(asked.filter((path) => path.startsWith('/good/')));
  expect(good.size).toBe(goodPages);
  expect((await auditCrawl(pool, id))?.differences).toEqual([]);
  const { state, cause, excluded, keptBack } = await view();
  expect([state, cause]).toEqual(['finished', 'kept-back']);
  expect(keptBack).toBeGreaterThan(8);
  expect(excluded.trap).toBeGreaterThan(0);

  const { items } = await call<{ items: QuarantineView[] }>('GET', `/v1/crawls/${id}/quarantine`);
  const calendar = items.find(({ shape }) => shape === '/calendar/{n}/{n}');
  expect(calendar).toMatchObject({ rule: 'nothing-new', verdict: 'held', host: site.origin, judgedBy: null });
  expect(items.reduce((sum, { urls }) => sum + urls, 0)).toBe(excluded.trap);

  const next = '/calendar/2399/1';
  const url = encodeURIComponent(site.origin + next);
  const explained = await call<Explanation>('GET', `/v1/crawls/${id}/explain?url=${url}`);
  expect(explained.summary).toContain(`orbweaver quarantine release ${id} ${calendar?.id ?? ''}`);

  const whole = { host: site.origin, shape: '/**' };
  const { api, key } = serving;
  const refused = await ask<{ detail: string }>(api.url, key, 'POST', `/v1/crawls/${id}/quarantine`, whole);
  expect([refused.status, refused.body.detail]).toEqual([
    409,
    expect.stringContaining('nothing would be left'),
  ]);
  const preview = await call<QuarantinePreview>('POST', `/v1/crawls/${id}/quarantine/preview`, {
    url: site.origin + next,
  });
  expect(preview.shapes.map(({ shape }) => shape)).toEqual([
    ...['/calendar/{n}/{n}', '/calendar/{n}/**', '/calendar/**', '/**'],
  ]);

  await call('POST', `/v1/crawls/${id}/quarantine/confirm`, { rule: 'endless' });
  const before = countOf(asked, 'calendar');
  const released = await call('POST', `/v1/crawls/${id}/quarantine/release`, { ids: [calendar?.id ?? ''] });
  expect(released).toMatchObject({ shapes: 1, more: false });
  // It is a calendar, so it goes on without end: nobody holds what a person has released.
  await until(
    'the calendar is read again',
    () => Promise.resolve(countOf(asked, 'calendar') > before + 64),
    120_000,
  );
  await call('POST', `/v1/crawls/${id}/cancel`);
  await until('the crawl is cancelled', async () => (await view()).endedAt !== null);
  expect(costs['maze']).toBe(countOf(asked, 'maze'));
  expect((await auditCrawl(pool, id))?.differences).toEqual([]);
});
