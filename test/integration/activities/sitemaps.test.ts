/**
 * What a host says of itself by sitemaps (sitemaps.org 0.9), and how much of it a crawl does (domain/sitemap-limits.ts).
 * @module-tag long
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { sitemapList } from '../../../contracts/http/sitemaps.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { sitemapLimits } from '../../../domain/sitemap-limits.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { rankCopies } from '../../../storage/pages/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { appendSeeds, readSeeds } from '../../../storage/seeds/index.ts';
import { admission, expectExact } from '../storage/frontier.ts';
import { tables, urlStates } from '../../support/database/index.ts';
import { getOk, serve } from '../api/world.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { redirect, robots, startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const xml =
  (text: string | Buffer): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
  };
/** Written when it is asked for: the site's origin is known by then. */
const late =
  (text: () => string | Buffer): Answer =>
  (response, request, count) => {
    xml(text())(response, request, count);
  };
const index = (...urls: readonly string[]): string =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
const urlset = (...urls: readonly string[]): string =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;
const numbered = (count: number, name: (i: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => name(i));

const cutOf = async (crawl: number) => (await viewCrawl(pool, String(crawl)))?.cut;

interface Crawled {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
  /** One slice, and what it brought is read. */
  readonly visit: () => Promise<void>;
  /** Of sitemaps or pages, by path: state, or the class of what is excluded. */
  readonly statesOf: (kind: 0 | 1) => Promise<Record<string, string>>;
}

async function crawled(
  answers: (origin: () => string) => Readonly<Record<string, Answer>>,
  config: Partial<CrawlConfig> = {},
): Promise<Crawled> {
  const site: Site = await startSite();
  site.answers = answers(() => site.origin);
  const { host, crawl } = await fetching.queued(site.origin, ['/'], { scope: 'host', ...config }, [
    `${site.origin}/`,
  ]);
  // Not all of the thousands that some of these sites name.
  const role = fetching.role({ sliceMs: 5_000 });
  return {
    ...{ site, host, crawl },
    visit: async () => {
      await role.fetchSlice(host);
      await readBodies(fetching, host);
    },
    statesOf: async (kind) => {
      const urls = await fetching.urls(crawl, site.origin);
      return Object.fromEntries(
        Object.entries(urls)
          .filter(([, row]) => row.kind === kind)
          .map(([path, { state, reason }]) => [path, state === 'excluded' ? (reason ?? '') : state]),
      );
    },
  };
}
const counted = (statesOf: Record<string, string>): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(Object.values(statesOf), (each) => each)].map(([state, all]) => [state, all.length]),
  );

describe('a seed', () => {
  it.each<[string, (text: string) => string | Buffer, Readonly<Record<string, string>>]>([
    ['/map.xml', (text) => text, { 'content-type': 'application/xml' }],
    ['/map.xml.gz', (text) => gzipSync(text), { 'content-type': 'application/gzip' }],
    ['/index', (text) => `<?xml version="1.0"?><!-- all -->\n${text}`, {}],
  ])('may be a sitemap: %s', async (path, written, fields) => {
    const site = await startSite();
    const listed = numbered(3, (i) => `${site.origin}/listed/${String(i)}`);
    site.answers = {
      [path]: (response) => {
        response.writeHead(200, fields).end(written(urlset(...listed)));
      },
    };
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl({ scope: 'host', contentTypes: ['text/html'] }, [site.origin + path]);
    const row = admission(Number(host.hostId), crawl, site.origin + path, { seed: true, depth: 0 });
    await new FrontierWriter(pool).write({ admissions: [row] });
    const role = fetching.role();
    await role.fetchSlice(host);
    await readBodies(fetching, host);
    const urls = await fetching.urls(crawl, site.origin);
    expect(
      Object.fromEntries(Object.entries(urls).map(([name, { kind, state }]) => [name, [kind, state]])),
    ).toEqual({
      [path]: [1, 'done'],
      '/listed/0': [0, 'queued'],
      '/listed/1': [0, 'queued'],
      '/listed/2': [0, 'queued'],
    });
    await expectExact(pool, crawl);
  });

  it('that is a page or other XML is none', async () => {
    const site = await startSite({
      '/feed': (response) => {
        response
          .writeHead(200, { 'content-type': 'application/xml' })
          .end('<records><urlset></urlset></records>');
      },
    });
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl({ scope: 'host' }, [`${site.origin}/feed`]);
    const row = admission(Number(host.hostId), crawl, `${site.origin}/feed`, { seed: true, depth: 0 });
    await new FrontierWriter(pool).write({ admissions: [row] });
    await fetching.role().fetchSlice(host);
    await readBodies(fetching, host);
    expect(await fetching.urls(crawl, site.origin)).toMatchObject({ '/feed': { kind: 0, state: 'done' } });
  });
});

describe('robots.txt', () => {
  it('that names thousands of sitemaps has the first fifty read, and the others are counted', async () => {
    const { visit, statesOf, crawl } = await crawled(() => ({
      '/robots.txt': robots(...numbered(20_000, (i) => `sitemap: /s${String(i)}.xml`)),
    }));
    await visit();
    const sitemaps = await statesOf(1);
    expect(Object.keys(sitemaps).sort()).toEqual(numbered(50, (i) => `/s${String(i)}.xml`).sort());
    expect(await cutOf(crawl)).toMatchObject({ robotsSitemaps: { places: 1, leftOut: 19_950 } });
  });
});

describe('sitemaps', () => {
  it('of a host are a thousand a crawl: the others are excluded, and past as many again only counted', async () => {
    const { visit, statesOf, crawl } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /index.xml', 'sitemap: /second.xml'),
      '/index.xml': late(() => index(...numbered(1_500, (i) => `${origin()}/a${String(i)}.xml`))),
      '/second.xml': late(() => index(...numbered(20, (i) => `${origin()}/b${String(i)}.xml`))),
    }));
    await visit();
    await visit();
    const sitemaps = await statesOf(1);
    const { 'sitemap-limit': excluded = 0, ...admitted } = counted(sitemaps);
    expect(Object.values(admitted).reduce((sum, count) => sum + count, 0)).toBe(sitemapLimits.ofHost);
    expect(excluded).toBe(22);
    expect(await cutOf(crawl)).toEqual({ sitemaps: { places: 1, leftOut: 500 } });
    await expectExact(pool, crawl);
  });

  it('that no pattern wants are kept as far as a host may have some, and past that counted', async () => {
    const { visit, statesOf, crawl } = await crawled(
      (origin) => ({
        '/robots.txt': robots('sitemap: /index.xml'),
        '/index.xml': late(() => index(...numbered(1_100, (i) => `${origin()}/a${String(i)}.xml`))),
      }),
      { sitemapPatterns: ['*/news*'] },
    );
    await visit();
    expect(counted(await statesOf(1))).toMatchObject({ 'sitemap-pattern': sitemapLimits.ofHost });
    expect(await cutOf(crawl)).toEqual({ sitemaps: { places: 1, leftOut: 100 } });
    await expectExact(pool, crawl);
  });

  it('that are named twice count once', async () => {
    const host = Number((await fetching.host('https://twice.example')).hostId);
    const crawl = await fetching.crawl();
    const writer = new FrontierWriter(pool);
    const name = (count: number) => {
      const urls = numbered(count, (i) => `https://twice.example/${String(i)}.xml`);
      return writer.write({ admissions: urls.map((url) => admission(host, crawl, url, { kind: 1 })) });
    };
    expect(await name(900)).toMatchObject({ admitted: 900 });
    expect(await name(1_010)).toMatchObject({ admitted: 110 });
    expect(await urlStates(pool, { crawl_id: crawl })).toEqual({
      'excluded:sitemap-limit': 10,
      queued: 1_000,
    });
    await expectExact(pool, crawl);
  });

  it('that name sitemaps are followed three deep, redirects not counted; the next is excluded with the reason', async () => {
    const level = (origin: () => string, at: number): Answer =>
      late(() => {
        const below = index(`${origin()}/${String(at + 1)}.xml`);
        return below + urlset(`${origin()}/page-${String(at)}`);
      });
    const { visit, statesOf, site, crawl } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /0.xml'),
      '/0.xml': level(origin, 0),
      '/1.xml': redirect('/1-moved.xml'),
      '/1-moved.xml': level(origin, 1),
      '/2.xml': level(origin, 2),
      '/3.xml': level(origin, 3),
      '/4.xml': level(origin, 4),
    }));
    for (let slice = 0; slice < 8; slice++) await visit();
    expect(await statesOf(1)).toEqual({
      '/0.xml': 'done',
      '/1.xml': 'done',
      '/1-moved.xml': 'done',
      '/2.xml': 'done',
      '/3.xml': 'done',
      '/4.xml': 'sitemap-limit',
    });
    expect(site.paths()).not.toContain('/4.xml');
    expect(
      Object.keys(await statesOf(0))
        .filter((path) => path.startsWith('/page'))
        .sort(),
    ).toEqual(numbered(4, (i) => `/page-${String(i)}`));
    const left = await tables.url.rows(pool, { crawl_id: crawl, reason: 'sitemap-limit' });
    expect(left.map(({ detail }) => detail)).toEqual([
      'it is named by sitemaps nested 4 deep; at most 3 levels are read',
    ]);
  });

  it('that name each other in a circle come to an end', async () => {
    const { visit, site } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /a.xml'),
      '/a.xml': late(() => index(`${origin()}/b.xml`, `${origin()}/a.xml`)),
      '/b.xml': late(() => index(`${origin()}/a.xml`)),
    }));
    for (let slice = 0; slice < 4; slice++) await visit();
    expect(site.paths().filter((path) => path.endsWith('.xml'))).toEqual(['/a.xml', '/b.xml']);
  });

  it('have 50,000 entries read, all of which are admitted, and no more', { tags: ['deep'] }, async () => {
    const { visit, statesOf, crawl } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /large.xml.gz'),
      '/large.xml.gz': late(() => gzipSync(urlset(...numbered(60_000, (i) => `${origin()}/p/${String(i)}`)))),
    }));
    await visit();
    await visit();
    const pages = Object.keys(await statesOf(0)).filter((path) => path.startsWith('/p/'));
    expect(pages).toHaveLength(50_000);
    expect(await cutOf(crawl)).toEqual({ sitemapEntries: { places: 1, leftOut: 10_000 } });
    await expectExact(pool, crawl);
  });
});

const page: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<p>A page.</p><a href="/linked">on</a>');
};

describe('sitemaps on another host', () => {
  const elsewhere = async (config: Partial<CrawlConfig> = {}) => {
    const bucket = await startSite();
    const host = await fetching.host(bucket.origin);
    const here = await crawled(
      () => ({ '/robots.txt': robots(`sitemap: ${bucket.origin}/all.xml`, 'sitemap: http://[') }),
      config,
    );
    const { origin } = here.site;
    bucket.answers = {
      '/robots.txt': robots('user-agent: *', 'disallow: /no.xml', `sitemap: ${bucket.origin}/others.xml`),
      '/all.xml': xml(
        index(`${bucket.origin}/part.xml`, `${bucket.origin}/no.xml`, 'http://127.1.2.3/x.xml'),
      ),
      '/part.xml': redirect('/part-1.xml'),
      '/part-1.xml': xml(urlset(`${origin}/only-there`, `${bucket.origin}/page`)),
    };
    return { bucket, host, here };
  };

  it('are read where robots.txt names them, with those beside them; of their pages the crawl has its own', async () => {
    const { bucket, host, here } = await elsewhere();
    await here.visit();
    for (let slice = 0; slice < 4; slice++) {
      await fetching.role({ sliceMs: 5_000 }).fetchSlice(host);
      await readBodies(fetching, host);
    }
    // The bucket's own robots.txt is obeyed, but names sitemaps of whoever else has files there.
    expect(bucket.paths().filter((path) => path !== '/robots.txt')).toEqual([
      ...['/all.xml', '/part.xml', '/part-1.xml'],
    ]);
    const there = Object.entries(await fetching.urls(here.crawl, bucket.origin)).filter(([url]) =>
      url.startsWith('/'),
    );
    expect(there.map(([path, { state, reason }]) => [path, state, reason])).toEqual(
      expect.arrayContaining([
        ['/all.xml', 'done', 'fetched'],
        ['/part.xml', 'done', 'redirect'],
        ['/part-1.xml', 'done', 'fetched'],
        ['/no.xml', 'excluded', 'robots'],
      ]),
    );
    expect(there).toHaveLength(4);
    expect(await here.statesOf(0)).toMatchObject({ '/only-there': 'queued' });
    expect(await cutOf(here.crawl)).toMatchObject({
      outside: { places: 2, leftOut: 2 },
      robotsSitemaps: { places: 1, leftOut: 1 },
    });
    await expectExact(pool, here.crawl);
  });

  it('name those of their own host once a seed brings it into the crawl', async () => {
    const { bucket, host, here } = await elsewhere();
    await here.visit();
    const role = fetching.role({ sliceMs: 5_000 });
    await role.fetchSlice(host);
    expect(await fetching.urls(here.crawl, bucket.origin)).not.toHaveProperty(['/others.xml']);
    await appendSeeds(pool, String(here.crawl), JSON.stringify(readSeeds(`${bucket.origin}/page`)));
    await fetching.queue(here.crawl, host, '/page');
    await role.fetchSlice(host);
    expect(await fetching.urls(here.crawl, bucket.origin)).toMatchObject({ '/others.xml': { kind: 1 } });
  });

  it('are looked up together, however many lines name them', async () => {
    const lines = numbered(50, (i) => `sitemap: https://s${String(i)}.example/all.xml`);
    const here = await crawled(() => ({ '/robots.txt': robots(...lines) }));
    const queries = vi.spyOn(pool, 'query');
    await here.visit();
    const asked = queries.mock.calls.filter(
      ([query]: readonly unknown[]) => (query as { readonly name?: string }).name === 'seeded-places',
    ).length;
    queries.mockRestore();
    const named = await tables.url.count(pool, { crawl_id: here.crawl, kind: 1 });
    expect(named).toBe(50);
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(5);
  });

  it('have a row that says so where the settings leave their domain out', async () => {
    const { bucket, here } = await elsewhere({ includeDomains: ['example.com'] });
    await here.visit();
    expect(await fetching.urls(here.crawl, bucket.origin)).toMatchObject({
      '/all.xml': { kind: 1, state: 'excluded', reason: 'not-included' },
    });
    expect(bucket.paths()).toEqual([]);
  });
});

describe('a crawl by sitemaps', () => {
  it('takes what is modified and wanted, follows no link, and tells of each sitemap what is wrong', async () => {
    const { visit, statesOf, crawl, site } = await crawled(
      (origin) => ({
        '/': page,
        '/robots.txt': robots('sitemap: /index.xml'),
        '/index.xml': late(() =>
          [
            '<sitemapindex>',
            ...['/news-1.xml', '/news-0.xml', '/shop.xml', '/index.xml'].map(
              (path) =>
                `<sitemap><loc>${origin()}${path}</loc><lastmod>${path === '/news-0.xml' ? '2001-02-03' : '2024'}</lastmod></sitemap>`,
            ),
            '</sitemapindex>',
          ].join('\n'),
        ),
        '/news-1.xml': late(
          () =>
            `<urlset>\n<url><loc>${origin()}/new</loc><lastmod>2024-05-06</lastmod></url>\n` +
            `<url><loc>${origin()}/old</loc><lastmod>2001-02-03</lastmod></url>\n` +
            `<url><loc>/undated</loc><lastmod>soon</lastmod></url>\n<url><loc>mailto:a@b.example</loc></url>`,
        ),
      }),
      { sitemap: 'only', sitemapPatterns: ['*/news*', '*/index*'], modifiedSince: '2020-01-01T00:00:00Z' },
    );
    for (let slice = 0; slice < 4; slice++) await visit();
    expect(await statesOf(1)).toEqual({
      ...{ '/index.xml': 'done', '/news-1.xml': 'done' },
      ...{ '/news-0.xml': 'unmodified', '/shop.xml': 'sitemap-pattern' },
    });
    expect(await statesOf(0)).toMatchObject({ '/': 'done', '/old': 'unmodified' });
    expect(Object.keys(await statesOf(0)).sort()).toEqual(['/', '/new', '/old', '/undated']);
    expect(await cutOf(crawl)).toEqual({
      brokenSitemaps: { places: 1, leftOut: 1 },
      unlisted: { places: 1, leftOut: 1 },
    });
    await expectExact(pool, crawl);

    const api = await serve(pool);
    try {
      const list = async (query: string) =>
        sitemapList.parse(await getOk(`${api.url}/v1/crawls/${String(crawl)}/sitemaps?${query}`));
      const { items, next } = await list('');
      expect(next).toBeNull();
      const told = Object.fromEntries(items.map(({ url, ...item }) => [url.slice(site.origin.length), item]));
      expect(told).toMatchObject({
        '/index.xml': {
          ...{ state: 'faulty', namedBy: null, format: 'index', pages: 0, sitemaps: 4, newUrls: 3 },
          faults: [{ line: 5, kind: 'itself', what: 'the sitemap names itself' }],
        },
        '/news-1.xml': {
          ...{ state: 'faulty', namedBy: `${site.origin}/index.xml`, format: 'urlset', pages: 3, newUrls: 3 },
          faults: [
            { line: 4, what: 'not a date: soon' },
            { line: 4, what: 'the URL is not absolute; it is read as relative to the sitemap: /undated' },
            { line: 5, what: 'the file ends within its outermost element' },
            { line: 5, what: 'not a URL that can be crawled: mailto:a@b.example' },
          ],
        },
        '/news-0.xml': { state: 'excluded', format: null, faults: [] },
        '/shop.xml': {
          state: 'excluded',
          why: 'it is a sitemap that the crawl does not read (no pattern for sitemaps matches it)',
        },
      });
      const paged = [];
      for (let cursor = ''; ;) {
        const part = await list(`limit=1&state=excluded,faulty${cursor}`);
        paged.push(...part.items);
        if (part.next === null) break;
        cursor = `&cursor=${encodeURIComponent(part.next)}`;
      }
      expect(paged).toEqual(items);
      expect((await list('state=read')).items).toEqual([]);
    } finally {
      await api.stop();
    }
  });

  it('lists a sitemap with the same bytes as another as that one, also when the crawl is over', async () => {
    const same = (origin: () => string): Answer => late(() => urlset(`${origin()}/listed`));
    const { visit, crawl, statesOf } = await crawled((origin) => ({
      ...{
        '/': page,
        '/listed': page,
        '/linked': page,
        '/robots.txt': robots('sitemap: /long-name.xml', 'sitemap: /a.xml'),
      },
      ...{ '/long-name.xml': same(origin), '/a.xml': same(origin) },
    }));
    for (let slice = 0; slice < 4; slice++) await visit();
    expect(await statesOf(1)).toEqual({ '/long-name.xml': 'done', '/a.xml': 'done' });
    const api = await serve(pool);
    try {
      const list = async () =>
        sitemapList
          .parse(await getOk(`${api.url}/v1/crawls/${String(crawl)}/sitemaps`))
          .items.map(({ state, pages }) => [state, pages]);
      expect(await list()).toEqual([['read', 1], ['read', 1]]); // prettier-ignore
      await inTransaction(pool, (db) => rankCopies(db, crawl));
      expect(await list()).toEqual([['read', 1], ['read', 1]]); // prettier-ignore
    } finally {
      await api.stop();
    }
  });

  it.each([
    { what: 'names none', lines: [] },
    {
      what: 'names none by a URL that can be fetched',
      lines: ['sitemap: ftp://a.example/', 'sitemap: http://['],
    },
  ])('asks for one where it usually is, if robots.txt $what', async ({ lines }) => {
    const { visit, statesOf } = await crawled(
      (origin) => ({
        '/': page,
        '/robots.txt': robots(...lines),
        '/sitemap.xml': late(() => urlset(`${origin()}/listed`)),
      }),
      { sitemap: 'only' },
    );
    await visit();
    await visit();
    expect(Object.keys(await statesOf(0)).sort()).toEqual(['/', '/listed']);
  });

  it('without sitemaps asks for none', async () => {
    const answers = (origin: () => string): Readonly<Record<string, Answer>> => ({
      '/': page,
      '/sitemap.xml': late(() => urlset(`${origin()}/listed`)),
    });
    const skip = await crawled(
      (origin) => ({ ...answers(origin), '/robots.txt': robots('sitemap: /sitemap.xml') }),
      { sitemap: 'skip' },
    );
    for (const each of [skip, skip]) await each.visit();
    expect(Object.keys(await skip.statesOf(0)).sort()).toEqual(['/', '/linked']);
    expect(skip.site.paths()).not.toContain('/sitemap.xml');
  });
});

describe('the dates of sitemaps (F02)', () => {
  const dated = (dates: readonly string[]): string =>
    `<urlset>${dates.map((date, at) => `<url><loc>/page/${String(at)}</loc><lastmod>${date}</lastmod></url>`).join('')}</urlset>`;
  const day = (before: number): string => new Date(Date.now() - before * 86_400_000).toISOString();
  const scored = async (dates: readonly string[]) => {
    const site = await startSite();
    site.answers = {
      '/robots.txt': robots(`Sitemap: ${site.origin}/map.xml`),
      '/map.xml': xml(dated(dates).replaceAll('<loc>', `<loc>${site.origin}`)),
    };
    const { host, crawl } = await fetching.queued(
      site.origin,
      ['/'],
      { scope: 'host', priority: { freshness: 0.8, depth: 0.2 } },
      [`${site.origin}/`],
    );
    const role = fetching.role();
    await role.fetchSlice(host);
    await role.fetchSlice(host);
    await readBodies(fetching, host);
    const urls = await fetching.urls(crawl, site.origin);
    const of = async (path: string): Promise<string> =>
      JSON.stringify(await explainUrlOf(pool, String(crawl), site.origin + path, 'Orbweaver/0.0'));
    return { of, score: (path: string) => urls[path]?.priority };
  };

  it('give new pages a part of their score, which is explained', async () => {
    const { of, score } = await scored([day(0), day(30), day(3_000), '0001-01-01']);
    expect(score('/page/0')).toBeCloseTo(0.9, 1);
    expect(score('/page/1')).toBeCloseTo(0.5, 1);
    expect(score('/page/2')).toBeCloseTo(0.1, 1);
    expect(score('/page/3')).toBeCloseTo(0.1, 1);
    expect(await of('/page/1')).toContain('for the date of its last change in a sitemap');
    expect(await of('/page/2')).not.toContain('in a sitemap');
  });

  it('say nothing where all pages have the same', async () => {
    const { score } = await scored(Array.from({ length: 20 }, () => day(0).slice(0, 10)));
    expect(score('/page/0')).toBeCloseTo(0.1, 1);
  });
});
