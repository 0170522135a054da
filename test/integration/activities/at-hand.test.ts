/** From an answer to its links where nothing else waits: the visit reads its last page itself, and goes on with what it finds. */
import { expect, it } from 'vitest';
import { createExtractor } from '../../../content/extract.ts';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { tables } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { withFetching } from './fetching.ts';
import { page, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
const parts = { extractor: createExtractor };

const follow = (answers: Record<string, Answer>, config: Partial<CrawlConfig> = {}) =>
  fetching.site(['/'], { answers, config });

/** Pages asked for, in their order. */
const asked = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');

it('follows a chain within one slice, with no lane at work and no look between its pages', async () => {
  const { site, host, crawl } = await follow({
    '/': page('<a href="/second">on</a><a href="http://127.0.0.77/">elsewhere</a>'),
    '/second': page('<a href="/third">on</a>'),
    '/third': page('the last'),
  });
  const end = await fetching.role({}, parts).fetchSlice(host);
  expect(asked(site)).toEqual(['/', '/second', '/third']);
  expect(end).toMatchObject({ fetched: 3, next: 'idle' });
  expect(await expectExact(pool, crawl)).toMatchObject({ done: 3, queued: 1, leased: 0 });
  const urls = await fetching.urls(crawl, site.origin);
  for (const path of asked(site)) {
    expect(urls[path]).toMatchObject({ state: 'done', stage: 0, lease_token: null, fetches: 1 });
    const place = { host_id: Number(host.hostId), crawl_id: crawl, key: urls[path]?.key ?? Buffer.alloc(0) };
    expect(await tables.reading.rows(pool, place)).toHaveLength(1);
    expect(await tables.content.rows(pool, place)).toHaveLength(1);
  }
});

it('goes on with all links of a page, the best first, and leaves pages before the last to lanes', async () => {
  const { site, host, crawl } = await follow({
    '/': page('<a href="/a">a</a><a href="/b">b</a>'),
    '/a': page('<a href="/under-a">more</a>'),
    '/b': page('<a href="/under-b">more</a>'),
  });
  await fetching.role({}, parts).fetchSlice(host);
  const paths = asked(site);
  expect(paths.slice(0, 3).toSorted()).toEqual(['/', '/a', '/b']);
  const [first = '', last = ''] = paths.slice(1, 3);
  expect(paths.slice(3)).toEqual([last.replace('/', '/under-')]);
  const urls = await fetching.urls(crawl, site.origin);
  expect(urls[first]).toMatchObject({ state: 'done', stage: 1 });
  expect(urls[last]).toMatchObject({ state: 'done', stage: 0 });
});

const text =
  (type: string, body: string): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
const leftToLanes: readonly [name: string, answer: Answer, config?: Partial<CrawlConfig>][] = [
  ['a page that takes long', text('text/html', `<a href="/on">on</a>${'<p>word '.repeat(40_000)}`)],
  ['a document', text('application/pdf', '%PDF-1.4')],
  [
    'a page that is read by rules',
    page('<a href="/on">on</a>'),
    { rules: { fields: {}, include: ['main'], exclude: [], links: { follow: [] } } },
  ],
];
it.for(leftToLanes)('leaves %s to lanes', async ([, answer, config]) => {
  const { site, host, crawl } = await follow({ '/': answer }, config);
  await fetching.role({}, parts).fetchSlice(host);
  expect(asked(site)).toEqual(['/']);
  expect((await fetching.urls(crawl, site.origin))['/']).toMatchObject({ state: 'done', stage: 1 });
});

it('leaves a seed that is a sitemap to lanes', async () => {
  const site = await fetching.site([], {
    answers: { '/': text('application/xml', '<urlset><url><loc>/on</loc></url></urlset>') },
  });
  await fetching.queue(site.crawl, site.host, '/');
  await tables.url.change(pool, { crawl_id: site.crawl }, { seed: true });
  await fetching.role({}, parts).fetchSlice(site.host);
  expect((await fetching.urls(site.crawl, site.site.origin))['/']).toMatchObject({ stage: 1 });
});

it('leaves a page to lanes that may be a copy', async () => {
  const same = page('<a href="/copy">on</a>');
  const { site, host, crawl } = await follow({ '/': same, '/copy': same });
  await fetching.role({}, parts).fetchSlice(host);
  const urls = await fetching.urls(crawl, site.origin);
  expect(urls['/']).toMatchObject({ stage: 0 });
  expect(urls['/copy']).toMatchObject({ state: 'done', stage: 1 });
  expect(await tables.content.rows(pool, { crawl_id: crawl })).toHaveLength(1);
});

it('leases nothing past the pages that a crawl may have, nor past another crawl that waits at the host', async () => {
  const answers = { '/': page('<a href="/a">a</a><a href="/b">b</a>') };
  const limited = await follow(answers, { maxPages: 2 });
  await fetching.role({}, parts).fetchSlice(limited.host);
  expect(asked(limited.site)).toHaveLength(2);

  const shared = await follow(answers);
  const other = await fetching.crawl();
  await fetching.queue(other, shared.host, '/theirs');
  await fetching.role({}, parts).fetchSlice(shared.host);
  expect(asked(shared.site)).toContain('/theirs');
  for (const crawl of [limited.crawl, shared.crawl, other]) await expectExact(pool, crawl);
});

it('asks for each page once, whatever process goes on after a slice that ended in the middle', async () => {
  const { site, host, crawl } = await follow({
    '/': page('<a href="/a">a</a><a href="/b">b</a><a href="/c">c</a>'),
  });
  const short = fetching.role({ sliceMs: 0 }, parts);
  while ((await short.fetchSlice(host)).next === 'more');
  expect(asked(site).toSorted()).toEqual(['/', '/a', '/b', '/c']);
  expect(await expectExact(pool, crawl)).toMatchObject({ done: 4, queued: 0, leased: 0 });
});

/** The pool, whose first transaction is cut off where it would run this statement. */
function cutOffAt(name: string): Pool {
  let cut = false;
  return new Proxy(pool, {
    get: (of, property) => {
      if (property !== 'connect') return Reflect.get(of, property, of) as unknown;
      return async () => {
        const client = await of.connect();
        return new Proxy(client, {
          get: (connection, what) => {
            const value = Reflect.get(connection, what, connection) as unknown;
            if (typeof value !== 'function') return value;
            return (...params: readonly unknown[]): unknown => {
              const [asked] = params as readonly { readonly name?: string }[];
              if (what === 'query' && !cut && asked?.name === name) {
                cut = true;
                return Promise.reject(new Error(`cut off at ${name}`));
              }
              return Reflect.apply(value, connection, params) as unknown;
            };
          },
        });
      };
    },
  });
}

const written = ['lock-host-queues', 'insert-urls', 'commit-results', 'claim-new-contents', 'upsert-pages'];
it.for(written)('loses nothing where the write is cut off at %s', async (name) => {
  const { site, host, crawl } = await follow({
    '/': page('<a href="/second">on</a>'),
    '/second': page('the last'),
  });
  const writer = new FrontierWriter(cutOffAt(name));
  await expect(fetching.role({}, { ...parts, writer }).fetchSlice(host)).rejects.toThrow(
    `cut off at ${name}`,
  );
  expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 1, queued: 1, leased: 0, done: 0 });
  for (const table of [tables.reading, tables.content])
    expect(await table.rows(pool, { crawl_id: crawl })).toEqual([]);
  await fetching.role({}, parts).fetchSlice(host);
  expect(asked(site)).toEqual(['/', '/', '/second']);
  expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 2, done: 2, leased: 0 });
});
