/**
 * A crawl of what an earlier crawl has stored: conditional requests (RFC 9110 §13), 304 as a result, bodies taken over.
 *
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { pageFields } from '../../../contracts/page-fields.ts';
import { createTextReader } from '../../../engine/page-text.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import type { PageView } from '../../../contracts/http/results.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { requeueLostBodies } from '../../../storage/pages/index.ts';
import { addTenant, changeCrawl, fromNow, ledgerPages, not, tables } from '../../support/database/index.ts';
import { allPages } from '../../support/all-pages.ts';
import { expectExact, moveCrawl } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { page, redirect, startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

interface Kept {
  html: string;
  etag: string | null;
  lastModified: string | null;
}

/** A page that knows its validators, as servers of files do. */
const kept =
  (content: Kept): Answer =>
  (response, { headers }) => {
    const fields = {
      ...(content.etag !== null && { etag: content.etag }),
      ...(content.lastModified !== null && { 'last-modified': content.lastModified }),
    };
    const same =
      headers['if-none-match'] === undefined
        ? content.lastModified !== null && headers['if-modified-since'] === content.lastModified
        : headers['if-none-match'] === content.etag;
    if (same) response.writeHead(304, fields).end();
    else response.writeHead(200, { 'content-type': 'text/html', ...fields }).end(content.html);
  };
const html = (title: string, ...links: readonly string[]): string =>
  `<!doctype html><title>${title}</title>${links.map((link) => `<a href="${link}">to ${link}</a>`).join('')}
   <p>${`${title} is told of here in a good many words of its own. `.repeat(5)}</p>`;
const date = 'Tue, 15 Nov 1994 12:45:26 GMT';

interface KeptSite {
  readonly site: Site;
  readonly host: HostRow;
  readonly contents: Readonly<Record<'/' | '/dated' | '/twin' | '/plain', Kept>>;
}

/** Texts that Postgres refuses as they are. */
const data = `<script type="application/ld+json">{"@type": "Thing\\u0000", "name": "\\ud800 a"}</script>`;

async function startKept(): Promise<KeptSite> {
  const contents = {
    '/': { html: html('Home', '/dated', '/twin', '/plain', '/moved'), etag: '"home"', lastModified: null },
    '/dated': { html: html('Dated', '/'), etag: null, lastModified: date },
    '/twin': { html: html('Dated', '/'), etag: 'W/"twin"', lastModified: date },
    '/plain': { html: html('Plain') + data, etag: null, lastModified: null },
  };
  const site = await startSite({
    ...Object.fromEntries(Object.entries(contents).map(([path, content]) => [path, kept(content)])),
    '/moved': redirect('/dated'),
  });
  return { site, host: await fetching.host(site.origin), contents };
}

const paths = ['/', '/dated', '/twin', '/plain', '/moved'];

/** Fetches and reads all that is due, as a crawl of its own; answers what the API would. */
async function crawl(
  { site, host }: KeptSite,
  config: Partial<CrawlConfig> = {},
  agent = fetching.role(),
): Promise<{ id: number; pages: Map<string, PageView> }> {
  const id = await fetching.crawl({ scope: 'host', ...config }, [`${site.origin}/`]);
  await fetching.queue(id, host, '/');
  for (let round = 0; round < 4; round++) {
    await agent.fetchSlice(host);
    await readBodies(fetching, host);
  }
  await expectExact(pool, id);
  await moveCrawl(pool, id, 'finished');
  const pages = new Map<string, PageView>();
  for await (const each of allPages(pool, String(id), pageFields, createTextReader(fetching.blobs)))
    pages.set(each.url.slice(site.origin.length), each);
  return { id, pages };
}

/** What was sent since: path, validators, and the answer's kind is told by the page. */
const requests = (site: Site, from: number): Record<string, [string | undefined, string | undefined]> =>
  Object.fromEntries(
    site.hits
      .slice(from)
      .filter(({ path }) => path !== '/robots.txt')
      .map(({ path, headers }) => [path, [headers['if-none-match'], headers['if-modified-since']]]),
  );
const none = [undefined, undefined];

/** What does not depend on when and how it came. */
const lasting = (pages: Map<string, PageView>): Record<string, Partial<PageView>> =>
  Object.fromEntries(
    [...pages].map(([path, { bytes: _bytes, fetchedAt: _at, reason: _reason, revisitOf: _of, ...rest }]) => [
      path,
      rest,
    ]),
  );
const reasons = (pages: Map<string, PageView>): Record<string, string | null> =>
  Object.fromEntries([...pages].map(([path, { reason }]) => [path, reason]));

describe('a second crawl of a site', () => {
  it('has the same pages, texts and links, without their transfer', async () => {
    const world = await startKept();
    const first = await crawl(world);
    expect([...first.pages.keys()].sort()).toEqual([...paths].sort());
    const sent = world.site.hits.length;
    const second = await crawl(world);
    expect(requests(world.site, sent)).toEqual({
      '/': ['"home"', undefined],
      '/dated': [undefined, date],
      '/twin': ['W/"twin"', date],
      '/plain': none,
      '/moved': none,
    });
    expect(lasting(second.pages)).toEqual(lasting(first.pages));
    expect(second.pages.get('/')).toMatchObject({ title: 'Home', status: 200, bytes: 0, linkCount: 4 });
    expect(second.pages.get('/')?.text).toContain('Home is told of here');
    expect(second.pages.get('/')?.main).toContain('Home is told of here');
    expect(second.pages.get('/')?.anchors).toHaveLength(4);
    expect(second.pages.get('/')?.images).toEqual([]);
    expect(second.pages.get('/')?.meta).toMatchObject({ version: 2 });
    expect(second.pages.get('/plain')?.meta?.schema).toEqual([{ '@type': 'Thing', name: '\ufffd a' }]);
    expect(reasons(second.pages)).toEqual({
      '/': 'not-modified',
      '/dated': 'not-modified',
      '/twin': 'not-modified',
      '/plain': 'fetched',
      '/moved': 'redirect',
    });
    expect(await ledgerPages(pool, second.id)).toBe(4);
    expect(await viewCrawl(pool, String(first.id))).toMatchObject({ unchanged: 0 });
    expect(await viewCrawl(pool, String(second.id))).toMatchObject({ pages: 4, unchanged: 3 });
    const home = (await fetching.urls(second.id, world.site.origin))['/'];
    const record = await fetching.blobs.ownAnswer(
      ...([Number(world.host.hostId), String(second.id), home?.key ?? Buffer.of()] as const),
      home?.content_hash ?? Buffer.of(),
    );
    expect(record?.head.split('\r\n').slice(0, 2)).toEqual(['HTTP/1.1 304 Not Modified', 'etag: "home"']);
    expect(record?.fields.get('warc-refers-to-target-uri')).toBe(`${world.site.origin}/`);
    expect(record?.fields.get('warc-refers-to-date')).toBe(first.pages.get('/')?.fetchedAt);
    // And so on: what was taken over is as good as what was fetched.
    const third = await crawl(world);
    expect(lasting(third.pages)).toEqual(lasting(first.pages));
    expect(reasons(third.pages)).toEqual(reasons(second.pages));
  });

  it('fetches what has changed', async () => {
    const world = await startKept();
    await crawl(world);
    Object.assign(world.contents['/'], { html: html('New home', '/dated'), etag: '"new"' });
    const second = await crawl(world);
    expect(second.pages.get('/')).toMatchObject({ title: 'New home', reason: 'fetched', linkCount: 1 });
    expect(second.pages.get('/dated')).toMatchObject({ title: 'Dated', reason: 'not-modified' });
    const sent = world.site.hits.length;
    const third = await crawl(world);
    expect(requests(world.site, sent)['/']).toEqual(['"new"', undefined]);
    expect(third.pages.get('/')).toMatchObject({ title: 'New home', reason: 'not-modified' });
  });

  it('asks without conditions where the body is gone, and when it is told to', async () => {
    const world = await startKept();
    const first = await crawl(world);
    const lost = first.pages.get('/')?.contentHash ?? '';
    await tables.body.remove(pool, { hash: Buffer.from(lost, 'hex') });
    let sent = world.site.hits.length;
    const second = await crawl(world);
    expect(requests(world.site, sent)).toMatchObject({ '/': none, '/dated': [undefined, date] });
    expect(world.site.paths().slice(sent).sort()).toEqual([...paths].sort());
    expect(second.pages.get('/')).toMatchObject({ reason: 'fetched', title: 'Home' });
    sent = world.site.hits.length;
    const fresh = await crawl(world, { fresh: true });
    expect(Object.values(requests(world.site, sent))).toEqual(paths.map(() => none));
    expect(lasting(fresh.pages)).toEqual(lasting(first.pages));
  });

  it('fetches whole what turns out to be torn, however often it is asked', async () => {
    const world = await startKept();
    const first = await crawl(world);
    await fetching.tear(first.pages.get('/')?.contentHash ?? '');
    const sent = world.site.hits.length;
    const second = await crawl(world);
    expect(
      world.site.hits
        .slice(sent)
        .filter(({ path }) => path === '/')
        .map(({ headers }) => headers['if-none-match']),
    ).toEqual(['"home"', undefined]);
    expect(second.pages.get('/')).toMatchObject({ reason: 'fetched', title: 'Home', linkCount: 4 });
  });

  it('uses no copy that another name, or another spelling, was answered with', async () => {
    const world = await startKept();
    await crawl(world, { userAgent: 'Other/1.0' });
    let sent = world.site.hits.length;
    await crawl(world);
    expect(requests(world.site, sent)['/']).toEqual(none);
    const id = await fetching.crawl({ scope: 'host' }, [`${world.site.origin}/`]);
    await fetching.queue(id, world.host, '/dated?utm_source=x');
    sent = world.site.hits.length;
    await fetching.role().fetchSlice(world.host);
    expect(requests(world.site, sent)).toEqual({ '/dated?utm_source=x': none });
    await moveCrawl(pool, id, 'finished');
  });

  it('uses no copy of another tenant', async () => {
    const world = await startKept();
    const first = await crawl(world);
    await changeCrawl(pool, first.id, { tenant_id: await addTenant(pool, 'other') });
    const sent = world.site.hits.length;
    await crawl(world);
    expect(requests(world.site, sent)['/']).toEqual(none);
  });

  it('heeds what a 304 brings along (RFC 9111 §3.2)', async () => {
    const world = await startKept();
    await crawl(world);
    world.site.answers = {
      ...world.site.answers,
      '/': (response) => response.writeHead(304, { etag: '"home-2"', 'x-robots-tag': 'nofollow' }).end(),
    };
    const second = await crawl(world);
    expect([...second.pages.keys()]).toEqual(['/']);
    expect(second.pages.get('/')).toMatchObject({ title: 'Home', reason: 'not-modified' });
    const tagged = await tables.url.rows(pool, { crawl_id: second.id, etag: not(null) });
    expect(tagged.map(({ etag }) => etag)).toEqual(['"home-2"']);
  });
});

describe('a URL that is fetched again within a crawl', () => {
  it('keeps its body, its hash and what was read in it', async () => {
    const world = await startKept();
    const id = await fetching.crawl({ scope: 'host' }, [`${world.site.origin}/`]);
    await fetching.queue(id, world.host, '/');
    const role = fetching.role();
    await role.fetchSlice(world.host);
    await readBodies(fetching, world.host);
    const row = () => fetching.urls(id, world.site.origin).then((urls) => urls['/']);
    const before = await row();
    await tables.url.change(
      pool,
      { crawl_id: id, state: 'queued' },
      { state: 'excluded', reason: 'dropped' },
    );
    await tables.url.change(pool, { crawl_id: id, state: 'done' }, { state: 'queued', due_at: fromNow() });
    await role.fetchSlice(world.host);
    expect(await row()).toMatchObject({
      ...{ state: 'done', reason: 'not-modified', status: 200, fetches: 2, stage: 1 },
      content_hash: before?.content_hash,
    });
    await readBodies(fetching, world.host);
    expect(await row()).toMatchObject({ stage: 0 });
    expect(await tables.reading.rows(pool, { crawl_id: id })).toMatchObject([{ title: 'Home', links: 4 }]);
    await expectExact(pool, id);
  });

  it('is asked for whole once its body is known to be lost, though an earlier crawl has one', async () => {
    const world = await startKept();
    const first = await crawl(world);
    const id = await fetching.crawl({ scope: 'host' }, [`${world.site.origin}/`]);
    await fetching.queue(id, world.host, '/');
    const role = fetching.role();
    await role.fetchSlice(world.host);
    const { key } = await tables.url.row(pool, { crawl_id: id });
    const lost = [{ crawl_id: id, key: key.toString('hex'), hash: first.pages.get('/')?.contentHash }];
    await requeueLostBodies(pool, world.host.hostId, JSON.stringify(lost));
    const sent = world.site.hits.length;
    await role.fetchSlice(world.host);
    expect(requests(world.site, sent)).toEqual({ '/': none });
    await moveCrawl(pool, id, 'cancelled');
  });
});

describe('a first crawl', () => {
  it('looks for no copies: one statement a host and crawl', async () => {
    const site = await startSite({ '/a': page('a') });
    const host = await fetching.host(site.origin);
    const asked: string[] = [];
    const pool = new Proxy(fetching.pool, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== 'query' || typeof value !== 'function') return value;
        return (...query: unknown[]): unknown => {
          const [first] = query;
          if (typeof first === 'object' && first !== null && 'name' in first) asked.push(String(first.name));
          return Reflect.apply(value, target, query);
        };
      },
    });
    const role = fetching.role({}, { pool });
    const id = await fetching.crawl();
    for (const path of ['/a', '/b', '/c']) {
      await fetching.queue(id, host, path);
      await role.fetchSlice(host);
    }
    expect(asked.filter((name) => name.startsWith('earlier'))).toEqual(['earlier-crawls']);
    await moveCrawl(fetching.pool, id, 'finished');
  });
});
