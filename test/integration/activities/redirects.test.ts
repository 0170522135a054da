/** Redirects (RFC 9110 §15.4; docs/design.md, "Politeness"): each hop is a URL of the frontier, none is followed on the spot. */
import { describe, expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import { canonicalize } from '../../../domain/url.ts';
import { viewCrawl } from '../../../storage/crawls/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { bringPlace } from '../../../storage/seeds/index.ts';
import { MemorySeenCache } from '../../../storage/seen/index.ts';
import { admission, expectExact } from '../storage/frontier.ts';
import { hostRow, not, optedOut, tables } from '../../support/database/index.ts';
import { readBodies } from './reading.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { page, redirect, startSite, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const hosted = async (
  answers: Readonly<Record<string, Answer>>,
  ...paths: readonly string[]
): Promise<{ readonly site: Site; readonly host: HostRow; readonly crawl: number }> => {
  const site = await startSite(answers);
  const { host, crawl } = await fetching.queued(site.origin, paths, { scope: 'host' }, [`${site.origin}/`]);
  return { site, host, crawl };
};
const pages = (site: Site): string[] => site.paths().filter((path) => path !== '/robots.txt');

it('is followed no sooner than the answer asks, and one that leads nowhere says where to', async () => {
  const { site, host, crawl } = await fetching.site(['/a', '/c?utm_source=x', '/d'], {
    answers: {
      '/a': status(302, { location: '/b', 'retry-after': '600' }),
      '/c?utm_source=x': status(301, { location: '/c', 'retry-after': '600' }),
      '/d': status(302, { location: 'http://[nowhere/' }),
    },
  });
  await fetching.role().fetchSlice(host);
  const rows = await tables.url.rows(pool, { crawl_id: crawl, state: not('done') });
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
    await expectExact(pool, crawl);
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
    expect(await hostRow(pool, found?.host_id ?? 0)).toMatchObject({ origin: other.origin });
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
    await expectExact(pool, crawl);
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
    await expectExact(pool, crawl);
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

  it('in a crawl that follows seven: given up after seven', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`/${String(at)}`, redirect(`/${String(at + 1)}`)]),
    );
    const site = await startSite(chain);
    const { host, crawl } = await fetching.queued(site.origin, ['/0'], { scope: 'host', maxRedirects: 7 }, [
      `${site.origin}/`,
    ]);
    const role = fetching.role();
    for (let slice = 0; slice < 9; slice++) await role.fetchSlice(host);
    expect(pages(site)).toHaveLength(8);
    expect((await fetching.urls(crawl, site.origin))['/7']).toMatchObject({ reason: 'too-many-redirects' });
  });

  it('in a circle: each page once', async () => {
    const { site, host, crawl } = await hosted({ '/a': redirect('/b'), '/b': redirect('/a') }, '/a');
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/a', '/b']);
    expect(await expectExact(pool, crawl)).toMatchObject({ discovered: 2, done: 2 });
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

it('Link and Refresh in the head of a page lead on from it, without a request of their own', async () => {
  const fields = {
    link: '</de>; rel=alternate; hreflang=de, </p>; rel="canonical"',
    refresh: '0; url=/later',
  };
  const { host, crawl, site } = await hosted({ '/a': page('A page', fields) }, '/a');
  await fetching.role({ sliceMs: 5_000 }).fetchSlice(host);
  await readBodies(fetching, host);
  expect(Object.keys(await fetching.urls(crawl, site.origin)).toSorted()).toEqual(['/a', '/de', '/later']);
  await expectExact(pool, crawl);
});

it('what is cut of a Link field is counted', async () => {
  const link = ['</de>; rel=next', ...Array<string>(200).fill('</style.css>; rel=preload')].join(', ');
  const { host, crawl } = await hosted({ '/a': page('A page', { link }) }, '/a');
  await fetching.role({ sliceMs: 5_000 }).fetchSlice(host);
  await readBodies(fetching, host);
  const leftOut = link.length - 4_096;
  expect((await viewCrawl(pool, String(crawl)))?.cut).toEqual({
    linkFields: { places: 1, leftOut },
  });
  await expectExact(pool, crawl);
});

describe('cookies that a redirect sets (RFC 6265)', () => {
  /** Answers a page once the cookie comes back, and asks for it by a redirect until then. */
  const wall =
    (to: string, setCookie = 'seen=1; Path=/'): Answer =>
    (response, request, count) => {
      const cookie = request.headers.cookie ?? '';
      if (cookie.includes('seen=1')) page('The article')(response, request, count);
      else status(302, { location: to, 'set-cookie': setCookie })(response, request, count);
    };
  const visited = async (answers: Readonly<Record<string, Answer>>, slices = 4, ...paths: string[]) => {
    const found = await hosted(answers, ...paths);
    const role = fetching.role();
    for (let slice = 0; slice < slices; slice++) await role.fetchSlice(found.host);
    await expectExact(pool, found.crawl);
    const asked = found.site.hits
      .filter(({ path }) => path !== '/robots.txt')
      .map(({ path, headers }) => [path, headers.cookie ?? '']);
    return { asked, urls: await fetching.urls(found.crawl, found.site.origin) };
  };

  it('open a page that redirects to itself until they come back', async () => {
    const { asked, urls } = await visited({ '/odd': wall('/odd') }, 2, '/odd', '/other');
    expect(asked.toSorted()).toEqual([['/odd', ''], ['/odd', 'seen=1'], ['/other', '']]); // prettier-ignore
    expect(urls['/odd']).toMatchObject({ state: 'done', reason: 'fetched', hops: 1 });
  });

  it('open a page to which a detour leads back', async () => {
    const { asked, urls } = await visited(
      { '/article': wall('/article?cookieSet=1'), '/article?cookieSet=1': redirect('/article', 302) },
      4,
      '/article',
    );
    expect(asked).toEqual([
      ['/article', ''],
      ['/article?cookieSet=1', 'seen=1'],
      ['/article', 'seen=1'],
    ]);
    expect(urls['/article']).toMatchObject({ state: 'done', reason: 'fetched', hops: 2, redirect_to: null });
    expect(urls['/article?cookieSet=1']).toMatchObject({ state: 'done', reason: 'redirect' });
  });

  it('do not keep a page in a circle that nothing opens', async () => {
    const both = { location: '/b', 'set-cookie': 'seen=1' };
    const { asked, urls } = await visited({ '/a': status(302, both), '/b': redirect('/a') }, 6, '/a');
    expect(asked).toEqual([['/a', ''], ['/b', 'seen=1'], ['/a', 'seen=1']]); // prettier-ignore
    expect(urls).toMatchObject({ '/a': { reason: 'redirect' }, '/b': { reason: 'redirect' } });
    const other: Answer = (response, request, count) => {
      status(302, { location: '/c', 'set-cookie': `n=${String(count)}` })(response, request, count);
    };
    const endless = await visited({ '/c': other }, 9, '/c');
    expect(endless.asked).toHaveLength(6);
    expect(endless.urls['/c']).toMatchObject({ state: 'failed', reason: 'too-many-redirects' });
  });

  it('are asked for with the result that leads back, so that a crash right after it loses no page', async () => {
    const { site, host, crawl } = await hosted(
      { '/article': wall('/detour'), '/detour': redirect('/article', 302) },
      '/article',
    );
    const writer = new FrontierWriter(pool);
    const written = writer.write.bind(writer);
    writer.write = async (write, patienceMs) => {
      const result = await written(write, patienceMs);
      if ((write.results ?? []).some(({ redirect_to: to }) => to === `${site.origin}/article`))
        throw new Error('the process ends here');
      return result;
    };
    await expect(fetching.role({}, { writer }).fetchSlice(host)).rejects.toThrow('the process ends here');
    expect(await fetching.urls(crawl, site.origin)).toMatchObject({
      '/detour': { state: 'done', reason: 'redirect' },
      '/article': { state: 'queued', reason: 'redirect', hops: 2 },
    });
    await expectExact(pool, crawl);
  });

  it.each([
    ['before the detour is asked', 1],
    ['before the page is asked again', 2],
  ])('are set anew if the process that has them ends %s', async (_, slices) => {
    const { site, host, crawl } = await hosted(
      { '/article': wall('/detour'), '/detour': redirect('/article', 302) },
      '/article',
    );
    // The first request is for robots.txt.
    for (let slice = 0; slice <= slices; slice++) await fetching.role({ sliceMs: 0 }).fetchSlice(host);
    expect(pages(site)).toEqual(['/article', '/detour'].slice(0, slices));
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/article']).toMatchObject({ state: 'done', reason: 'fetched', hops: 4, redirect_to: null });
    await expectExact(pool, crawl);
  });

  it.each([[[1]], [[2]], [[3]], [[4]], [[3, 1]], [[3, 2]], [[3, 1, 1]]])(
    'of the last of three hops are set anew if processes end after %j requests',
    async (ends) => {
      const site = await startSite({
        '/article': (response, request, count) => {
          const isOpen = (request.headers.cookie ?? '').includes('seen=1');
          (isOpen ? page('The article') : redirect('/step', 302))(response, request, count);
        },
        '/step': redirect('/set', 302),
        '/set': status(302, { location: '/article', 'set-cookie': 'seen=1; Path=/' }),
      });
      const { host, crawl } = await fetching.queued(
        site.origin,
        ['/article'],
        { scope: 'host', maxRedirects: 10 },
        [`${site.origin}/`],
      );
      // The first request is for robots.txt.
      await fetching.role({ sliceMs: 0 }).fetchSlice(host);
      for (const requests of ends) {
        const role = fetching.role({ sliceMs: 0 });
        for (let request = 0; request < requests; request++) await role.fetchSlice(host);
      }
      const role = fetching.role();
      for (let slice = 0; slice < 6; slice++) await role.fetchSlice(host);
      const urls = await fetching.urls(crawl, site.origin);
      expect(urls['/article']).toMatchObject({ state: 'done', reason: 'fetched' });
    },
  );

  /** A page that `/` opens, and to which an older address leads without cookies. */
  const gate: Readonly<Record<string, Answer>> = {
    '/index.php': redirect('/home', 301),
    '/': status(302, { location: '/home', 'set-cookie': 'seen=1; Path=/' }),
    '/home': (response, request, count) => {
      const isOpen = (request.headers.cookie ?? '').includes('seen=1');
      (isOpen ? page('Home') : redirect('/', 302))(response, request, count);
    },
  };

  it.each([
    ['by another redirect', ['/index.php'], 'queued'],
    ['by a link', ['/home'], 'queued'],
    ['and is kept out until later', ['/index.php'], 'excluded'],
  ] as const)(
    'are those of the last chain that leads to a page that is known %s',
    async (_, known, state) => {
      const { site, host, crawl } = await hosted(gate, ...known);
      const change = (path: string, columns: Parameters<typeof tables.url.change>[2]): Promise<number> =>
        tables.url.change(pool, { crawl_id: crawl, url: site.origin + path }, columns);
      const first = fetching.role({ sliceMs: 0 });
      await first.fetchSlice(host);
      if (known[0] !== '/home') await first.fetchSlice(host);
      await change('/home', { state, ...(state === 'excluded' && { reason: 'filter' }) });
      await fetching.queue(crawl, host, '/');
      await change('/', { priority: 9 });
      await first.fetchSlice(host);
      expect(pages(site)).toEqual([...known.filter((path) => path !== '/home'), '/']);
      await change('/home', { state: 'queued', reason: null });
      const role = fetching.role();
      for (let slice = 0; slice < 6; slice++) await role.fetchSlice(host);
      expect((await fetching.urls(crawl, site.origin))['/home']).toMatchObject({ reason: 'fetched' });
    },
  );

  it('are taken over by a page that waits, without the count of the chain', async () => {
    const answers = {
      '/a': status(302, { location: '/x', 'set-cookie': 'id=1; Path=/' }),
      '/x': redirect('/y', 301),
    };
    const site = await startSite(answers);
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl({ scope: 'host', maxRedirects: 1 }, [`${site.origin}/`]);
    await fetching.queue(crawl, host, '/a', '/x');
    const role = fetching.role();
    for (let slice = 0; slice < 3; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/a', '/x', '/y']);
  });

  it('are not lost while robots.txt is in trouble', async () => {
    const { site, host, crawl } = await hosted({});
    const next = await startSite({}, new URL(site.origin).hostname);
    next.answers = {
      '/robots.txt': (response, request, count) => {
        (count === 1 ? status(503) : status(404))(response, request, count);
      },
      '/home': wall(`${site.origin}/gate`),
    };
    const there = await fetching.host(next.origin);
    site.answers = {
      '/gate': status(302, { location: `${next.origin}/home`, 'set-cookie': 'seen=1; Path=/' }),
    };
    await fetching.queue(crawl, there, '/home');
    await fetching.queue(crawl, host, '/gate');
    await fetching.role().fetchSlice(host);
    await fetching.role().fetchSlice(there);
    const [row] = await tables.url.rows(pool, { crawl_id: crawl, url: `${next.origin}/home` });
    expect(row).toMatchObject({ state: 'queued', chain: expect.stringContaining('jar') as string });
  });

  it('are not kept of a chain that is at its end', async () => {
    const { site, host, crawl } = await hosted(gate, '/');
    const role = fetching.role({ sliceMs: 0 });
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/', '/home']);
    const rows = await tables.url.rows(pool, { crawl_id: crawl });
    expect(rows.map(({ chain }) => chain)).toEqual([null, null]);
  });

  it('that are not set leave a circle as it is, whoever asks', async () => {
    const { site, host, crawl } = await hosted({ '/a': redirect('/b'), '/b': redirect('/a') }, '/a');
    for (let slice = 0; slice < 2; slice++) await fetching.role({ sliceMs: 0 }).fetchSlice(host);
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    expect(pages(site)).toEqual(['/a', '/b']);
    expect(await fetching.urls(crawl, site.origin)).toMatchObject({
      '/a': { state: 'done', reason: 'redirect' },
      '/b': { state: 'done', reason: 'redirect' },
    });
  });

  it('go along however soon the host of the next hop is woken', async () => {
    const { site, host } = await hosted({});
    // Cookies make no difference between ports.
    const next = await startSite({}, new URL(site.origin).hostname);
    const there = await fetching.host(next.origin);
    site.answers = { '/a': status(302, { location: `${next.origin}/b`, 'set-cookie': 'seen=1' }) };
    await fetching.queue(await fetching.crawl(), host, '/a');
    let visit = Promise.resolve();
    const seen = new MemorySeenCache(1_000);
    const remember = seen.remember.bind(seen);
    // The next host is visited before its waker goes on.
    seen.remember = async (...keys) => {
      await visit;
      return remember(...keys);
    };
    const wakeHosts = (ids: Iterable<number>): void => {
      if ([...ids].includes(Number(there.hostId)))
        visit = visit.then(() => role.fetchSlice(there)).then(() => undefined);
    };
    const role = fetching.role({}, { seen, wakeHosts });
    await role.fetchSlice(host);
    expect(next.hits.map(({ path, headers }) => [path, headers.cookie])).toEqual([
      ['/robots.txt', undefined],
      ['/b', 'seen=1'],
    ]);
  });

  it('go to no other host, and not with what is asked after the chain', async () => {
    const other = await startSite();
    const there = await fetching.host(other.origin);
    const { host, crawl, site } = await hosted({
      '/away': status(302, { location: `${other.origin}/there`, 'set-cookie': 'seen=1' }),
      '/on': status(302, { location: '/end', 'set-cookie': 'seen=1' }),
    });
    const wide = await fetching.crawl();
    for (const each of [crawl, wide]) await fetching.queue(each, host, '/away', '/on', '/later');
    const role = fetching.role();
    for (let slice = 0; slice < 4; slice++) await role.fetchSlice(host);
    await role.fetchSlice(there);
    expect(other.hits.map(({ path, headers }) => [path, headers.cookie])).toEqual([
      ['/robots.txt', undefined],
      ['/there', undefined],
    ]);
    const withCookie = site.hits.filter(({ headers }) => headers.cookie !== undefined);
    expect(withCookie.map(({ path }) => path)).toEqual(['/end', '/end']);
  });
});

describe('a seed that leads to another domain', () => {
  const seeded = async (to: (origin: string) => string, config: Partial<CrawlConfig> = {}) => {
    const other = await startSite({ '/hop': redirect('/new/home') });
    const site = await startSite({
      '/': redirect(to(other.origin)),
      '/page': redirect(`${other.origin}/else`),
    });
    const [host, there] = [await fetching.host(site.origin), await fetching.host(other.origin)];
    const crawl = await fetching.crawl({ scope: 'host', ...config }, [`${site.origin}/`]);
    await new FrontierWriter(pool).write({
      admissions: [
        admission(Number(host.hostId), crawl, `${site.origin}/`, { seed: true, depth: 0 }),
        admission(Number(host.hostId), crawl, `${site.origin}/page`, { depth: 1, priority: 0.1 }),
      ],
    });
    const visit = async (): Promise<void> => {
      await fetching.role().fetchSlice(host);
      await fetching.role().fetchSlice(there);
    };
    return { site, other, crawl, visit, moved: async () => viewOf(crawl) };
  };
  const viewOf = async (crawl: number) => {
    const view = await viewCrawl(pool, String(crawl));
    return { moved: view?.seeds.firstMoved, cut: view?.cut };
  };

  it('brings its place into the crawl, which says so; from then on links there belong to it', async () => {
    const { site, other, crawl, visit, moved } = await seeded((origin) => `${origin}/hop`);
    await visit();
    await visit();
    expect(pages(other).toSorted()).toEqual(['/else', '/hop', '/new/home']);
    expect(await moved()).toEqual({
      moved: [{ from: `${site.origin}/`, to: `${other.origin}/hop` }],
      cut: {},
    });
    await expectExact(pool, crawl);
  });

  it('brings the folder alone to a crawl of a folder', async () => {
    const { other, visit, moved } = await seeded((origin) => `${origin}/new/`, { scope: 'prefix' });
    await visit();
    await visit();
    expect(pages(other)).toEqual(['/new/']);
    expect((await moved()).cut).toEqual({ outside: { places: 1, leftOut: 1 } });
  });

  it('brings nothing where it leads to a login, which is said of the seed', async () => {
    const { other, visit, moved } = await seeded((origin) => `${origin}/login?next=/`);
    await visit();
    expect(pages(other)).toEqual([]);
    expect(await moved()).toEqual({
      moved: [],
      cut: nothingBrought,
    });
  });

  const nothingBrought = { outside: { places: 2, leftOut: 2 }, seeds: { places: 1, leftOut: 1 } };
  it.each<[string, (other: string) => string, Partial<CrawlConfig>]>([
    ['a pattern keeps it out', (other) => other, { exclude: ['*/hop*'] }],
    ['it is not included', (other) => other, { include: ['*/page*'] }],
    ['its address may not be reached', () => 'http://169.254.169.254', {}],
  ])('brings nothing where %s, which is said of the seed', async (_, at, config) => {
    const { other, crawl, visit, moved } = await seeded((origin) => `${at(origin)}/hop`, config);
    await visit();
    expect(pages(other)).toEqual([]);
    expect(await moved()).toEqual({ moved: [], cut: nothingBrought });
    await expectExact(pool, crawl);
  });

  it('brings nothing that has opted out', async () => {
    await optedOut(pool, 'opted-out.example');
    const { visit, moved } = await seeded(() => 'https://www.opted-out.example/hop');
    await visit();
    expect(await moved()).toEqual({ moved: [], cut: nothingBrought });
  });

  it('brings a thousand places, not one more, and a look at the crawl shows a hundred', async () => {
    const crawl = await fetching.crawl({ scope: 'host' }, ['https://a.example/']);
    const from = 'https://a.example/';
    const stored = Array.from({ length: 990 }, (_, nth) => ({
      ...{ crawl_id: crawl, place: Buffer.from([nth >> 8, nth & 0xff]) },
      ...{ moved_from: from, moved_to: from },
    }));
    await tables.seedPlace.addAll(pool, stored);
    const targets = Array.from({ length: 40 }, (_, nth) => canonicalize(`https://${String(nth)}.example/`));
    await Promise.all(
      targets.map(async (to) => to.ok && inTransaction(pool, (db) => bringPlace(db, crawl, from, to.value))),
    );
    const seeds = (await viewCrawl(pool, String(crawl)))?.seeds;
    expect([seeds?.moved, seeds?.firstMoved.length]).toEqual([1_000, 100]);
  });
});
