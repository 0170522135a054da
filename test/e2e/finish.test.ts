/**
 * Finish criteria before real workers: a crawl ends by each, says which, and asks for nothing after it has drained.
 *
 * @module-tag deep
 */
import { describe, expect, it } from 'vitest';
import type { CrawlView, CreatedCrawl } from '../../contracts/http/crawls.ts';
import type { FinishCriteria } from '../../domain/finish-criteria.ts';
import { auditCrawl } from '../../storage/reports/index.ts';
import { startSite, type Answer, type Site } from '../integration/activities/site.ts';
import { ask } from '../integration/api/asking.ts';
import { until } from '../support/until.ts';
import { withServing } from '../support/serving.ts';
import { makeBlobDir } from '../support/worker.ts';

const serving = withServing({ blobDir: makeBlobDir() });
const { desk, api } = serving;
/** A site with no end in sight: each page links to the next one. Every third one is about shoes. */
const endless: Answer = (response, request) => {
  const page = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0);
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    `<title>${page % 3 === 0 ? 'Shoes' : 'News'} ${String(page)}</title>` +
      `<a href="/page/${String(page + 1)}">on</a> ${String(request.headers.host)} ${'words '.repeat(200)}`,
  );
};
async function endlessSite(): Promise<Site> {
  const site = await startSite();
  site.answers = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, page) => [`/page/${String(page)}`, endless]),
  );
  return site;
}

async function crawledUntilOver(site: Site, finish: FinishCriteria): Promise<CrawlView> {
  const wanted = {
    seeds: [`${site.origin}/page/0`],
    allowPrivate: ['127.0.0.0/8'],
    delaySeconds: 0.02,
    finish,
  };
  const { status, body } = await ask<CreatedCrawl>(api.url, serving.key, 'POST', '/v1/crawls', wanted);
  expect(status).toBe(201);
  const view = async () => (await ask<CrawlView>(api.url, serving.key, 'GET', `/v1/crawls/${body.id}`)).body;
  await until(`crawl ${body.id} is over`, async () => (await view()).endedAt !== null);
  expect((await auditCrawl(desk.pool, body.id))?.differences).toEqual([]);
  return view();
}

describe('a crawl without end', () => {
  it.each<[string, FinishCriteria, (view: CrawlView) => void]>([
    ['10 pages', { any: [{ pages: 10 }] }, ({ pages }) => expect(pages).toBeGreaterThanOrEqual(10)],
    ['5000 bytes', { any: [{ bytes: 5_000 }] }, ({ bytes }) => expect(bytes).toBeGreaterThanOrEqual(5_000)],
    [
      // The page: on a busy machine two seconds may pass before the first, and a crawl without any has failed.
      '2 seconds and 1 pages',
      { all: [{ seconds: 2 }, { pages: 1 }] },
      ({ seconds }) => expect(seconds).toBeGreaterThanOrEqual(2),
    ],
    ['a page at depth 4', { any: [{ depth: 4 }] }, ({ pages }) => expect(pages).toBeGreaterThanOrEqual(5)],
    [
      '4 matching pages',
      { any: [{ matching: { count: 4, title: 'shoes', url: '*/page/*' } }] },
      ({ pages }) => expect(pages).toBeGreaterThanOrEqual(10),
    ],
    [
      '1 seconds and a page at depth 2',
      { any: [{ pages: 100_000 }, { all: [{ seconds: 1 }, { depth: 2 }] }] },
      ({ pages }) => expect(pages).toBeGreaterThanOrEqual(3),
    ],
  ])('ends by %s', async (words, finish, check) => {
    const site = await endlessSite();
    const view = await crawledUntilOver(site, finish);
    expect(view).toMatchObject({
      state: 'finished',
      reason: `finish-criteria: ${words}`,
      config: { finish },
    });
    check(view);
    expect(view.ledger).toMatchObject({ queued: 0, leased: 0 });
    expect(view.ledger.excluded).toBeGreaterThan(0);
    const asked = site.paths().length;
    // What is over stays over: the next page was queued, and nobody comes for it.
    const other = await endlessSite();
    await crawledUntilOver(other, { any: [{ pages: 3 }] });
    expect(site.paths()).toHaveLength(asked);
  });

  it('is refused with criteria that make no sense, by name', async () => {
    const refused = async (finish: unknown) =>
      ask<{ errors: { path: string; message: string }[] }>(api.url, serving.key, 'POST', '/v1/crawls', {
        seeds: ['https://example.com/'],
        finish,
      });
    for (const finish of [
      {},
      { any: [] },
      { any: [{ pages: 0 }] },
      { any: [{ matching: { count: 3 } }] },
      { any: [{ pages: 1 }], all: [{ pages: 1 }] },
      { any: [{ all: [{ any: [{ pages: 1 }] }] }] },
      { some: [{ pages: 1 }] },
    ]) {
      const { status, body } = await refused(finish);
      expect([status, body.errors.map(({ path }) => path.split(/[./]/)[0] ?? '')[0]]).toEqual([
        422,
        'finish',
      ]);
    }
  });
});
