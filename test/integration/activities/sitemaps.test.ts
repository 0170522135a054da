/** What a host says of itself by sitemaps (sitemaps.org 0.9), and how much of it a crawl does (domain/sitemap-limits.ts). */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sitemapLimits } from '../../../domain/sitemap-limits.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { admission, expectExact } from '../storage/frontier.ts';
import { tables, urlStates } from '../../support/database/index.ts';
import { openFetching, type Fetching, type HostRow } from './fetching.ts';
import { readBodies } from './reading.ts';
import { redirect, robots, startSite, type Answer, type Site } from './site.ts';

let fetching: Fetching;
beforeAll(async () => {
  fetching = await openFetching();
});
afterAll(() => fetching.close());

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

const cutOf = async (crawl: number) => (await viewCrawl(fetching.pool, String(crawl)))?.cut;

interface Crawled {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
  /** One slice, and what it brought is read. */
  readonly visit: () => Promise<void>;
  /** Of sitemaps or pages, by path: state, or the class of what is excluded. */
  readonly standing: (kind: 0 | 1) => Promise<Record<string, string>>;
}

async function crawled(
  answers: (origin: () => string) => Readonly<Record<string, Answer>>,
): Promise<Crawled> {
  const site: Site = await startSite();
  site.answers = answers(() => site.origin);
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl({ scope: 'host' }, [`${site.origin}/`]);
  await fetching.queue(crawl, host, '/');
  const role = fetching.role();
  return {
    ...{ site, host, crawl },
    visit: async () => {
      await role.fetchSlice(host);
      await readBodies(fetching, host);
    },
    standing: async (kind) => {
      const urls = await fetching.urls(crawl, site.origin);
      return Object.fromEntries(
        Object.entries(urls)
          .filter(([, row]) => row.kind === kind)
          .map(([path, { state, reason }]) => [path, state === 'excluded' ? (reason ?? '') : state]),
      );
    },
  };
}
const counted = (standing: Record<string, string>): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(Object.values(standing), (each) => each)].map(([state, all]) => [state, all.length]),
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
    await new FrontierWriter(fetching.pool).write({ admissions: [row] });
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
    await expectExact(fetching.pool, crawl);
  });

  it('that is a feed or a page is none', async () => {
    const site = await startSite({
      '/feed': (response) => {
        response.writeHead(200, { 'content-type': 'application/xml' }).end('<rss><urlset></urlset></rss>');
      },
    });
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl({ scope: 'host' }, [`${site.origin}/feed`]);
    const row = admission(Number(host.hostId), crawl, `${site.origin}/feed`, { seed: true, depth: 0 });
    await new FrontierWriter(fetching.pool).write({ admissions: [row] });
    await fetching.role().fetchSlice(host);
    await readBodies(fetching, host);
    expect(await fetching.urls(crawl, site.origin)).toMatchObject({ '/feed': { kind: 0, state: 'done' } });
  });
});

describe('robots.txt', () => {
  it('that names thousands of sitemaps has the first fifty read, and the others are counted', async () => {
    const { visit, standing, crawl } = await crawled(() => ({
      '/robots.txt': robots(...numbered(20_000, (i) => `sitemap: /s${String(i)}.xml`)),
    }));
    await visit();
    const sitemaps = await standing(1);
    expect(Object.keys(sitemaps).sort()).toEqual(numbered(50, (i) => `/s${String(i)}.xml`).sort());
    expect(await cutOf(crawl)).toMatchObject({ robotsSitemaps: { places: 1, leftOut: 19_950 } });
  });
});

describe('sitemaps', () => {
  it('of a host are a thousand a crawl: the others are excluded, and past as many again only counted', async () => {
    const { visit, standing, crawl } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /index.xml', 'sitemap: /second.xml'),
      '/index.xml': late(() => index(...numbered(1_500, (i) => `${origin()}/a${String(i)}.xml`))),
      '/second.xml': late(() => index(...numbered(20, (i) => `${origin()}/b${String(i)}.xml`))),
    }));
    await visit();
    await visit();
    const sitemaps = await standing(1);
    const { 'sitemap-limit': excluded = 0, ...admitted } = counted(sitemaps);
    expect(Object.values(admitted).reduce((sum, count) => sum + count, 0)).toBe(sitemapLimits.ofHost);
    expect(excluded).toBe(22);
    expect(await cutOf(crawl)).toEqual({ sitemaps: { places: 1, leftOut: 500 } });
    await expectExact(fetching.pool, crawl);
  });

  it('that are named twice count once', async () => {
    const host = Number((await fetching.host('https://twice.example')).hostId);
    const crawl = await fetching.crawl();
    const writer = new FrontierWriter(fetching.pool);
    const name = (count: number) => {
      const urls = numbered(count, (i) => `https://twice.example/${String(i)}.xml`);
      return writer.write({ admissions: urls.map((url) => admission(host, crawl, url, { kind: 1 })) });
    };
    expect(await name(900)).toMatchObject({ admitted: 900 });
    expect(await name(1_010)).toMatchObject({ admitted: 110 });
    expect(await urlStates(fetching.pool, { crawl_id: crawl })).toEqual({
      'excluded:sitemap-limit': 10,
      queued: 1_000,
    });
    await expectExact(fetching.pool, crawl);
  });

  it('that name sitemaps are followed three deep, redirects not counted; the next is excluded with the reason', async () => {
    const level = (origin: () => string, at: number): Answer =>
      late(() => {
        const below = index(`${origin()}/${String(at + 1)}.xml`);
        return below + urlset(`${origin()}/page-${String(at)}`);
      });
    const { visit, standing, site, crawl } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /0.xml'),
      '/0.xml': level(origin, 0),
      '/1.xml': redirect('/1-moved.xml'),
      '/1-moved.xml': level(origin, 1),
      '/2.xml': level(origin, 2),
      '/3.xml': level(origin, 3),
      '/4.xml': level(origin, 4),
    }));
    for (let slice = 0; slice < 8; slice++) await visit();
    expect(await standing(1)).toEqual({
      '/0.xml': 'done',
      '/1.xml': 'done',
      '/1-moved.xml': 'done',
      '/2.xml': 'done',
      '/3.xml': 'done',
      '/4.xml': 'sitemap-limit',
    });
    expect(site.paths()).not.toContain('/4.xml');
    expect(
      Object.keys(await standing(0))
        .filter((path) => path.startsWith('/page'))
        .sort(),
    ).toEqual(numbered(4, (i) => `/page-${String(i)}`));
    const left = await tables.url.rows(fetching.pool, { crawl_id: crawl, reason: 'sitemap-limit' });
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

  it('have 50,000 entries read, all of which are admitted, and no more', async () => {
    const { visit, standing, crawl } = await crawled((origin) => ({
      '/robots.txt': robots('sitemap: /large.xml.gz'),
      '/large.xml.gz': late(() => gzipSync(urlset(...numbered(60_000, (i) => `${origin()}/p/${String(i)}`)))),
    }));
    await visit();
    await visit();
    const pages = Object.keys(await standing(0)).filter((path) => path.startsWith('/p/'));
    expect(pages).toHaveLength(50_000);
    expect(await cutOf(crawl)).toEqual({ sitemapEntries: { places: 1, leftOut: 10_000 } });
    await expectExact(fetching.pool, crawl);
  });
});
