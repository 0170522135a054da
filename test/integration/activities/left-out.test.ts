/** No limit is silent: what each leaves out is counted at its page, in the crawl, and told by explain (domain/limits.ts). */
import { describe, expect, it, vi } from 'vitest';
import { defaultCrawlConfig, type CrawlConfig } from '../../../contracts/crawl.ts';
import { createExtractor } from '../../../content/extract.ts';
import type { CrawlView } from '../../../contracts/http/crawls.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { createTextReader } from '../../../engine/page-text.ts';
import { readPages } from '../../../storage/pages/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { not, tables } from '../../support/database/index.ts';
import { makePdf } from '../../support/make-pdf.ts';
import { withFetching } from './fetching.ts';
import { extractBodies, judgeBodies, readBodies } from './reading.ts';
import { redirect, robots, startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const html =
  (text: () => string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>t</title>${text()}`);
  };
const links = (hrefs: readonly string[]): string => hrefs.map((href) => `<a href="${href}">x</a>`).join('\n');
const numbered = (count: number, path = '/p/'): string[] =>
  Array.from({ length: count }, (_, at) => `${path}${String(at)}`);

interface Visited {
  readonly crawl: string;
  readonly site: Site;
  readonly view: CrawlView;
  readonly explain: (path: string) => ReturnType<typeof explainUrlOf>;
}

/** Works the site until nothing is queued, or for so many slices. */
async function visited(
  answers: (origin: () => string) => Readonly<Record<string, Answer>>,
  config: Partial<CrawlConfig> = {},
  slices = Infinity,
): Promise<Visited> {
  const site = await startSite();
  site.answers = answers(() => site.origin);
  const host = await fetching.host(site.origin);
  const number = await fetching.crawl({ scope: 'host', ...config }, [`${site.origin}/`]);
  const crawl = String(number);
  await fetching.queue(number, host, '/');
  const role = fetching.role();
  const look = async (): Promise<CrawlView> => {
    const view = await viewCrawl(pool, crawl);
    if (view === null) throw new Error('no such crawl');
    return view;
  };
  for (let slice = 0; slice < slices && (await look()).ledger.queued > 0; slice++) {
    await role.fetchSlice(host);
    await readBodies(fetching, host);
  }
  await expectExact(pool, number);
  const explain = (path: string): ReturnType<typeof explainUrlOf> =>
    explainUrlOf(pool, crawl, new URL(path, site.origin).href, 'Orbweaver/0.0');
  return { crawl, site, view: await look(), explain };
}

/** The front page as the pages feed has it, which ends a little before the present. */
const front = ({ crawl, site }: Visited) =>
  vi.waitFor(async () => {
    const request = { cursor: null, limit: 1_000, fields: [] };
    const answer = await readPages(pool, crawl, request, () => Promise.resolve(null));
    if (typeof answer === 'string') throw new Error(answer);
    const page = answer.items.find(({ url }) => url === `${site.origin}/`);
    if (page === undefined) throw new Error('it has not come yet');
    return page;
  }, 60_000);

describe('the links of a page', () => {
  it('are all followed, where there are 1,500 of them', { tags: ['deep'] }, async () => {
    const index = html(() => links(numbered(1_500)));
    const page = html(() => 'a page');
    const crawled = await visited(
      () => ({
        '/': index,
        ...Object.fromEntries(numbered(1_500).map((path) => [path, page])),
      }),
      { maxLinksPerPage: defaultCrawlConfig.maxLinksPerPage },
    );
    expect(crawled.view).toMatchObject({ pages: 1_501, ledger: { discovered: 1_501, done: 1_501 }, cut: {} });
    expect(await front(crawled)).toMatchObject({ linkCount: 1_500, cut: {} });
  });

  it('are admitted to the last of 10,000, those that lead elsewhere counted', async () => {
    const named = [...numbered(9_000), ...numbered(1_000, 'http://elsewhere.example/')];
    const crawled = await visited(() => ({ '/': html(() => links(named)) }), {}, 1);
    expect(crawled.view).toMatchObject({
      ledger: { discovered: 9_001, queued: 9_000 },
      cut: { outside: { places: 1, leftOut: 1_000 } },
    });
    expect(await front(crawled)).toMatchObject({ linkCount: 10_000, cut: { outside: 1_000 } });
  });

  it('that a limit leaves out are counted at the page and in the crawl, and explain names the page', async () => {
    const limited = { maxLinksPerPage: 200 };
    const long = `/long/${'x'.repeat(2_100)}`;
    const index = html(() => `${links([long, ...numbered(1_500)])}<a rel=nofollow href=/n>n</a>`);
    const crawled = await visited(() => ({ '/': index }), limited, 1);
    const cut = { links: 1_301, nofollow: 1, longUrls: 1 };
    expect(await front(crawled)).toMatchObject({ cut });
    expect(crawled.view.cut).toEqual({
      links: { places: 1, leftOut: 1_301 },
      nofollow: { places: 1, leftOut: 1 },
      longUrls: { places: 1, leftOut: 1 },
    });
    const told = await crawled.explain('/p/1400');
    expect(told?.summary).toMatch(
      /^The crawl has not met this URL\. The URL may be among the links that were left out of http:.* \(1,301 links over the limit of a page\)\./,
    );
    expect(told?.decisions).toContainEqual(
      expect.objectContaining({ step: 'found', verdict: 'maybe-left-out', effect: 'note' }),
    );
    // One that was met, or is no part of the crawl, fell off no list.
    for (const other of ['/p/7', 'http://elsewhere.example/']) {
      expect((await crawled.explain(other))?.summary).not.toMatch(/left out/);
    }
    expect((await crawled.explain('/'))?.record).toMatchObject({ cut });
  });
});

describe('what is no URL of the crawl', () => {
  it('is counted: text, title and description, a robots.txt that is too long, redirects that lead elsewhere', async () => {
    const page = html(
      () =>
        `${'word '.repeat(206_000)}<meta name=description content="${'d'.repeat(2_500)}"><a href=/away>x</a>`,
    );
    const crawled = await visited(
      () => ({
        '/': page,
        '/away': redirect('http://elsewhere.example/'),
        '/robots.txt': robots(
          ...numbered(60, 'sitemap: http://elsewhere.example/'),
          ...numbered(40_000, 'disallow: /private/'),
        ),
      }),
      {},
      2,
    );
    const { text, ...others } = (await front(crawled)).cut;
    expect(text).toBe(206_000 * 5 - 1_000_000 + 1);
    expect(others).toEqual({ description: 500 });
    expect(crawled.view.cut).toEqual({
      text: { places: 1, leftOut: text },
      description: { places: 1, leftOut: 500 },
      outside: { places: 1, leftOut: 1 },
      robotsText: { places: 1, leftOut: 1 },
      robotsSitemaps: { places: 1, leftOut: 10 },
    });
    const away = await crawled.explain('/away');
    expect(away?.record).toMatchObject({ cut: { outside: 1 } });
    expect(away?.robots).toMatchObject({ isCut: true });
  });

  it('is counted by reason where it is excluded, and comes back when it is not any more', async () => {
    const crawled = await visited(
      () => ({ '/': html(() => links(numbered(30))) }),
      { maxPagesPerHost: 11, exclude: ['*/p/1?'] },
      1,
    );
    expect(crawled.view.excluded).toEqual({ 'host-limit': 10, pattern: 10 });
    await tables.url.change(
      pool,
      { crawl_id: crawled.crawl, reason: 'host-limit' },
      { state: 'queued', reason: null },
    );
    expect(await viewCrawl(pool, crawled.crawl)).toMatchObject({ excluded: { pattern: 10 } });
    await expectExact(pool, Number(crawled.crawl));
  });
});

describe('documents', () => {
  it('give text and links, and the one that gives none says why', async () => {
    const send =
      (body: Buffer, type = 'application/pdf'): Answer =>
      (response) => {
        response.writeHead(200, { 'content-type': type }).end(body);
      };
    const done = await visited((origin) => ({
      '/': html(() => links(['/report.pdf', '/torn.pdf', '/notes.txt'])),
      '/report.pdf': (...request) => {
        send(makePdf([{ lines: ['A year of spiders'], link: `${origin()}/linked` }], 'Report'))(...request);
      },
      '/torn.pdf': send(Buffer.from('%PDF-1.7\nand no more')),
      '/notes.txt': send(Buffer.from('My notes\n\nand what they say'), 'text/plain'),
      '/linked': html(() => 'x'),
    }));
    const { crawl, site, view, explain } = done;
    const textOf = createTextReader(fetching.blobs);
    const asked = new Set<string>();
    const request = { cursor: null, limit: 100, fields: ['text'] } as const;
    const feed = () =>
      readPages(pool, crawl, request, (hash, type, url, rules, repeated) => {
        asked.add(url.slice(site.origin.length));
        return textOf(hash, type, url, rules, repeated);
      });
    const items = await vi.waitFor(async () => {
      const answer = await feed();
      if (typeof answer === 'string' || answer.items.length < 5) throw new Error('not all have come yet');
      return new Map(answer.items.map((item) => [item.url.slice(site.origin.length), item]));
    }, 60_000);
    expect(items.get('/report.pdf')).toMatchObject({
      title: 'Report',
      text: 'A year of spiders',
      words: 4,
      cut: {},
    });
    expect(items.get('/notes.txt')).toMatchObject({ title: 'My notes', text: 'My notes and what they say' });
    expect(items.get('/torn.pdf')).toMatchObject({ title: null, text: '', cut: { brokenDocuments: 1 } });
    expect(items.get('/linked')?.state).toBe('done');
    expect(view.cut).toMatchObject({ brokenDocuments: { places: 1, leftOut: 1 } });
    expect(JSON.stringify(await explain('/torn.pdf'))).toContain('1 damaged document');
    // One that gave no text is not read again, and an answer whose documents take long is short.
    expect([...asked].sort()).toEqual(['/', '/linked', '/notes.txt', '/report.pdf']);
    const now = performance.now.bind(performance);
    let lateMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs);
    const short = await readPages(pool, crawl, request, (...body) => {
      lateMs += 60_000;
      return textOf(...body);
    });
    clock.mockRestore();
    expect(short).toMatchObject({ items: [{ url: `${site.origin}/` }], more: true });
  });

  it('are left to a later call where others took long, and pages beside them are not', async () => {
    const document: Answer = (response, { url = '' }) => {
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(makePdf([{ lines: [url] }]));
    };
    const { host, crawl } = await fetching.site(['/a.pdf', '/b.pdf', '/page'], {
      answers: { '/a.pdf': document, '/b.pdf': document, '/page': html(() => 'a page') },
    });
    await fetching.role().fetchSlice(host);
    const dependencies = fetching.dependencies();
    const extractor = await createExtractor();
    await judgeBodies(dependencies, host);
    for (const left of [1, 0]) {
      await extractBodies(dependencies, extractor, host, 0);
      expect(await tables.url.count(pool, { crawl_id: crawl, stage: not(0) })).toBe(left);
    }
    await expectExact(pool, crawl);
  });
});
