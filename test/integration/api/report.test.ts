/** The report of a crawl (F38): its figures, and the page for people, on hostile URLs too. */
import { beforeAll, describe, expect, it } from 'vitest';
import { reportLines } from '../../../cli/look/report.ts';
import { crawlReport, type CrawlReport } from '../../../contracts/http/report.ts';
import { addUrl, like, setState, tables } from '../../support/database/index.ts';
import { addPage, newCrawl, newRunningCrawl, withApi } from './world.ts';

const { pool, api } = withApi();
let crawl: string;
beforeAll(async () => {
  crawl = await newRunningCrawl(pool, {}, ['https://a.example/', 'no <b>url</b>']);
  const page = { title: 'A page', text: 'a few words', links: [] };
  await addPage(pool, crawl, 'https://a.example/', page, { depth: 0, took_ms: 40, bytes: 1_000 });
  await addPage(pool, crawl, 'https://a.example/slow', page, { depth: 1, took_ms: 9_000, bytes: 2_000 });
  await addPage(pool, crawl, 'https://b.example/big', page, { depth: 2, took_ms: 60, bytes: 5_000_000 });
  await addUrl(pool, crawl, 'https://b.example/%3Cscript%3E', {
    state: 'dead',
    reason: 'gone',
    status: 404,
    fetched_at: new Date(),
    content_type: `text/html"><script>alert(1)</script>; charset=utf-8`,
  });
  await tables.url.change(pool, { url: 'https://a.example/slow' }, { cut: { links: 1_300 } });
  await tables.url.change(pool, { url: 'https://b.example/big' }, { cut: { links: 1 } });
  await addUrl(pool, crawl, 'https://b.example/hidden', { state: 'excluded', reason: 'robots' });
  await setState(pool, crawl, 'finished', 'finish-criteria: 3 pages <b>');
});

const report = (init?: RequestInit, query = ''): Promise<Response> =>
  fetch(`${api.url}/v1/crawls/${crawl}/report${query}`, init);

describe('a report', () => {
  it('has the figures of the crawl, each list in its order', async () => {
    const response = await report();
    expect(response.status).toBe(200);
    const body = (await response.json()) as CrawlReport;
    expect(crawlReport.parse(body)).toEqual(body);
    expect(body.crawl).toMatchObject({
      id: crawl,
      state: 'finished',
      reason: 'finish-criteria: 3 pages <b>',
    });
    expect(body.totals).toMatchObject({ pages: 3, hosts: 2, seeds: { accepted: 1, rejected: 1 } });
    expect(body.rejectedSeeds).toEqual([{ line: 2, url: 'no <b>url</b>', reason: 'not-a-url' }]);
    expect(body.states).toEqual(
      expect.arrayContaining([
        { state: 'dead', reason: 'gone', urls: 1 },
        { state: 'excluded', reason: 'robots', urls: 1 },
      ]),
    );
    expect(body.states.reduce((sum, { urls }) => sum + urls, 0)).toBe(body.totals.ledger.discovered);
    expect(body.statuses).toEqual([
      { status: 200, urls: 3, bytes: 5_003_000 },
      { status: 404, urls: 1, bytes: expect.any(Number) as number },
    ]);
    expect(body.types[0]).toMatchObject({ type: 'text/html', urls: 3 });
    expect(body.depths.map(({ depth }) => depth)).toEqual(
      [0, 1, 2].filter((d) => body.depths.some((x) => x.depth === d)),
    );
    expect(body.languages).toEqual([{ language: 'en', pages: 3 }]);
    const anew = { crawl_id: crawl, job_id: 9 };
    const [reading] = await tables.reading.rows(pool, { crawl_id: crawl });
    const { content_id, host_id, key, words, links } = reading ?? expect.fail('no page was read');
    const flags = { noindex: false, nofollow: false };
    await tables.reading.add(pool, {
      ...{ ...anew, content_id, host_id, key, words, links, outlinks: '', ...flags },
      language: 'de',
    });
    const languages = async (): Promise<unknown> =>
      ((await (await report()).json()) as CrawlReport).languages;
    expect(await languages()).toEqual(body.languages);
    await tables.readingInUse.add(pool, anew);
    expect(await languages()).toEqual([
      { language: 'en', pages: 2 },
      { language: 'de', pages: 1 },
    ]);
    expect(body.urls.slowest.map(({ url, ms }) => [url, ms])).toEqual([
      ['https://a.example/slow', 9_000],
      ['https://b.example/big', 60],
      ['https://a.example/', 40],
    ]);
    expect(body.urls.biggest[0]).toMatchObject({ url: 'https://b.example/big', bytes: 5_000_000 });
    expect(body.hosts.failing.map(({ host, lost }) => [host, lost])).toEqual([['https://b.example', 1]]);
    expect(body.cut).toEqual({ links: { places: 2, leftOut: 1_301 } });
    expect(body.of).toMatchObject({
      states: 3,
      statuses: 2,
      hosts: { busiest: 2, failing: 1 },
      urls: { slowest: 3 },
    });
    expect(body.hosts.slowest[0]).toMatchObject({ host: 'https://a.example', meanMs: 4_520 });
  });

  it('is a page where one is asked for, in which nothing of the web is markup', async () => {
    for (const response of [
      await report({ headers: { accept: 'text/html,*/*;q=0.8' } }),
      await report(undefined, '?format=html'),
    ]) {
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-/,
      );
      const html = await response.text();
      expect(html).toContain('finish-criteria: 3 pages &lt;b&gt;');
      expect(html).toMatch(/Rejected seeds.*no &lt;b&gt;url&lt;\/b&gt;.*not-a-url/s);
      expect(html).toContain('text/html&quot;&gt;&lt;script&gt;');
      expect(html).not.toMatch(/<script|<b>|javascript:|href=/);
    }
    expect((await report({ headers: { accept: '*/*' } })).headers.get('content-type')).toMatch(
      /^application\/json/,
    );
  });

  it('says of a list that is not the whole of how many it has the first, and what limits left out', async () => {
    const many = await newRunningCrawl(pool, {}, ['https://m.example/']);
    for (let at = 0; at < 25; at++) {
      await addUrl(pool, many, `https://m.example/${String(at)}`, {
        ...{ state: 'done', reason: 'fetched', status: 200, fetched_at: new Date(), took_ms: 10, bytes: 10 },
      });
    }
    await tables.url.change(pool, { crawl_id: many, url: like('%/7') }, { cut: { links: 1_300 } });
    const made = (await (await fetch(`${api.url}/v1/crawls/${many}/report`)).json()) as CrawlReport;
    expect([made.urls.slowest.length, made.of.urls.slowest]).toEqual([20, 25]);
    const html = await (await fetch(`${api.url}/v1/crawls/${many}/report?format=html`)).text();
    expect(html).toContain('Slowest answers: the first 20 of 25');
    expect(html).toContain('1,300 links over the limit of a page');
    const lines = reportLines(made);
    expect(lines).toContain('Slowest answers (5 of 25)');
    expect(lines).toContain('  1,300 links over the limit of a page, at 1 URL (--max-links-per-page)');
  });

  it('is of a crawl that there is, in a format that there is', async () => {
    expect((await report(undefined, '?format=pdf')).status).toBe(400);
    expect((await fetch(`${api.url}/v1/crawls/999/report`)).status).toBe(404);
  });

  it('of a crawl that has done nothing says so', async () => {
    const empty = await newCrawl(pool, {}, ['https://c.example/']);
    const response = await fetch(`${api.url}/v1/crawls/${empty}/report`);
    expect(await response.json()).toMatchObject({ totals: { pages: 0, pagesPerSecond: null }, statuses: [] });
    const html = await (await fetch(`${api.url}/v1/crawls/${empty}/report?format=html`)).text();
    expect(html).toContain('not started');
  });
});
