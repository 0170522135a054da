/** Redirects (RFC 9110 §15.4; docs/design.md, "Politeness"): each hop is a URL of the frontier, none is followed on the spot. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectExact } from '../storage/frontier.ts';
import { hostRow, not, tables } from '../../support/database/index.ts';
import { openFetching, type Fetching, type HostRow } from './fetching.ts';
import { redirect, startSite, status, type Answer, type Site } from './site.ts';

let fetching: Fetching;
beforeAll(async () => {
  fetching = await openFetching();
});
afterAll(() => fetching.close());

const hosted = async (
  answers: Readonly<Record<string, Answer>>,
  ...paths: readonly string[]
): Promise<{ readonly site: Site; readonly host: HostRow; readonly crawl: number }> => {
  const site = await startSite(answers);
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl({ scope: 'host' }, [`${site.origin}/`]);
  await fetching.queue(crawl, host, ...paths);
  return { site, host, crawl };
};
const pages = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');

it('is followed no sooner than the answer asks, and one that leads nowhere says where to', async () => {
  const site = await startSite({
    '/a': status(302, { location: '/b', 'retry-after': '600' }),
    '/c?utm_source=x': status(301, { location: '/c', 'retry-after': '600' }),
    '/d': status(302, { location: 'http://[nowhere/' }),
  });
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl();
  await fetching.queue(crawl, host, '/a', '/c?utm_source=x', '/d');
  await fetching.role().fetchSlice(host);
  const rows = await tables.url.rows(fetching.pool, { crawl_id: crawl, state: not('done') });
  const found = rows.map(({ url, state, detail, due_at_ms: dueMs }) => ({
    path: url.replace(site.origin, ''),
    ...{ state, detail, minutes: Math.round(Math.max(0, dueMs) / 60_000) },
  }));
  expect(found).toEqual([
    { path: '/b', state: 'queued', detail: null, minutes: 10 },
    { path: '/c', state: 'queued', detail: null, minutes: 10 },
    { path: '/d', state: 'failed', detail: 'answered 302, to "http://[nowhere/"', minutes: 0 },
  ]);
});

describe('a redirect', () => {
  it('to another page of the host: that is the next URL, one hop on', async () => {
    const { site, host, crawl } = await hosted({ '/a': redirect('/b?x=1') }, '/a');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 2, next: 'idle', queued: 0 });
    expect(pages(site)).toEqual(['/a', '/b?x=1']);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/a']).toMatchObject({ state: 'done', reason: 'redirect', status: 301, content_hash: null });
    expect(urls['/b?x=1']).toMatchObject({ state: 'done', reason: 'fetched', hops: 1, depth: 0 });
    await expectExact(fetching.pool, crawl);
  });

  it('to another host: that host’s URL, which nobody asks from here', async () => {
    const other = await startSite({}, '127.0.0.2');
    const { site, host } = await hosted({ '/a': redirect(`${other.origin}/b`, 302) });
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, host, '/a');
    await fetching.role().fetchSlice(host);
    expect(other.paths()).toEqual([]);
    const found = (await fetching.urls(crawl, site.origin))[`${other.origin}/b`];
    expect(found).toMatchObject({ state: 'queued', hops: 1 });
    expect(await hostRow(fetching.pool, found?.host_id ?? 0)).toMatchObject({ origin: other.origin });
  });

  it('out of the crawl’s scope: the end of the way', async () => {
    const { site, host, crawl } = await hosted({ '/a': redirect('https://elsewhere.example/') }, '/a');
    await fetching.role().fetchSlice(host);
    const urls = await fetching.urls(crawl, site.origin);
    expect(Object.keys(urls)).toEqual(['/a']);
    expect(urls['/a']).toMatchObject({ state: 'done', redirect_to: 'https://elsewhere.example/' });
  });

  it('to another spelling of the same page: asked once more under that spelling', async () => {
    const { site, host, crawl } = await hosted(
      { '/a?utm_source=mail': redirect('/a') },
      '/a?utm_source=mail',
    );
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 1, next: 'idle', queued: 0 });
    expect(pages(site)).toEqual(['/a?utm_source=mail', '/a']);
    const urls = await fetching.urls(crawl, site.origin);
    expect(Object.keys(urls)).toEqual(['/a']);
    expect(urls['/a']).toMatchObject({ state: 'done', reason: 'fetched', fetches: 2, hops: 1, attempts: 0 });
    await expectExact(fetching.pool, crawl);
  });

  it('to itself: a loop, after one request', async () => {
    const { site, host, crawl } = await hosted({ '/a': redirect('/a#again') }, '/a');
    await fetching.role().fetchSlice(host);
    expect(pages(site)).toEqual(['/a']);
    expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject({
      state: 'failed',
      reason: 'redirect-loop',
    });
  });

  it('to and fro between spellings: given up after five hops', async () => {
    const { site, host, crawl } = await hosted(
      { '/a': redirect('/a?utm_source=x'), '/a?utm_source=x': redirect('/a') },
      '/a',
    );
    const role = fetching.role();
    for (let slice = 0; slice < 8; slice++) await role.fetchSlice(host);
    expect(pages(site)).toHaveLength(6);
    const [url] = Object.values(await fetching.urls(crawl, site.origin));
    expect(url).toMatchObject({ state: 'failed', reason: 'too-many-redirects', hops: 5 });
    await expectExact(fetching.pool, crawl);
  });

  it('on and on: given up after five hops', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`/${String(at)}`, redirect(`/${String(at + 1)}`)]),
    );
    const { site, host, crawl } = await hosted(chain, '/0');
    const role = fetching.role();
    for (let slice = 0; slice < 8; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
    expect((await fetching.urls(crawl, site.origin))['/5']).toMatchObject({
      state: 'failed',
      reason: 'too-many-redirects',
    });
  });

  it('in a circle: each page once', async () => {
    const { site, host, crawl } = await hosted({ '/a': redirect('/b'), '/b': redirect('/a') }, '/a');
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/a', '/b']);
    expect(await expectExact(fetching.pool, crawl)).toMatchObject({ discovered: 2, done: 2 });
  });

  it.each(['mailto:a@example.org', 'http://'])('to %s: a failure of the URL', async (location) => {
    const { site, host, crawl } = await hosted({ '/a': redirect(location) }, '/a');
    await fetching.role().fetchSlice(host);
    expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject({
      state: 'failed',
      reason: 'bad-redirect',
    });
  });
});
