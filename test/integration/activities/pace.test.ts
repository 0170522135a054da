/** How a host sees a slice (docs/design.md, "Politeness"): robots.txt first, one request in flight, none sooner than its delay. */
import { describe, expect, it } from 'vitest';
import { expectExact } from '../storage/frontier.ts';
import { changeHost, fromNow, hadSettings, robotsRead } from '../../support/database/index.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, page, robots, slowly, startSite, status, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const least = (values: readonly number[]): number => Math.min(...values);

describe('a slice', () => {
  it('reads robots.txt before any URL, then the URLs in their order, one at a time', async () => {
    const { site, host, crawl } = await fetching.site(['/a', '/b', '/c?x=1', '/d'], {
      answers: { '/b': slowly(60, page('slow')) },
    });
    const result = await fetching.role().fetchSlice(host);
    expect(result).toMatchObject({
      fetched: 4,
      next: 'idle',
      queued: 0,
      deadLetters: 0,
      lastError: null,
    });
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b', '/c?x=1', '/d']);
    expect(site.together()).toBe(1);
    expect(
      site.hits.every(({ headers }) => headers['user-agent'] === 'Orbweaver/0.0 (+http://localhost/about)'),
    ).toBe(true);
    const urls = await fetching.urls(crawl, site.origin);
    for (const each of Object.values(urls))
      expect(each).toMatchObject({ state: 'done', stage: 1, status: 200, fetches: 1 });
    const body = await fetching.blobs.get(urls['/b']?.content_hash ?? Buffer.alloc(32));
    expect(Buffer.from(body ?? []).toString()).toContain('<p>slow</p>');
  });

  it('leases few URLs that it does not get to, since each of them has to go back', async () => {
    const paths = Array.from({ length: 200 }, (_, at) => `/${String(at)}`);
    const site = await startSite(Object.fromEntries(paths.map((each) => [each, slowly(50, page('slow'))])));
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl(), host, ...paths);
    let leased = 0;
    const pool = new Proxy(fetching.pool, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property, target);
        if (property !== 'query' || typeof value !== 'function') return value;
        return async (asked: { readonly name?: string }): Promise<unknown> => {
          const answer = (await Reflect.apply(value, target, [asked])) as { readonly rows: unknown[] };
          if (asked.name === 'lease-urls') leased += answer.rows.length;
          return answer;
        };
      },
    });
    const { fetched } = await fetching.role({ sliceMs: 4_000 }, { pool }).fetchSlice(host);
    expect(fetched).toBeGreaterThan(0);
    // It has time for 80 of the 200 at most.
    expect(leased - fetched).toBeLessThanOrEqual(60);
  });

  it('keeps the delay between all requests, robots.txt included', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delaySeconds: 0.15 }), host, '/a', '/b', '/c');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 3, delayMs: 150 });
    expect(gaps(site)).toHaveLength(3);
    expect(least(gaps(site))).toBeGreaterThanOrEqual(150);
  });

  it('keeps the delay of each crawl between requests of its own, and holds up no other for it', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delaySeconds: 2 }), host, '/slow/a', '/slow/b', '/slow/c');
    await fetching.queue(await fetching.crawl(), host, '/a', '/b', '/c', '/d');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 7 });
    expect(least(gaps(site, (path) => path.startsWith('/slow/')))).toBeGreaterThanOrEqual(2_000);
    // All of the quick one's are through while the slow one waits for its second turn.
    const order = site.paths().slice(1);
    expect(order.indexOf('/d')).toBeLessThan(order.indexOf('/slow/b'));
  });

  it('waits for the end of a response that takes longer than the delay', async () => {
    const site = await startSite({
      '/a': (response) => {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.write('<p>slow ');
        setTimeout(() => response.end('end'), 250);
      },
    });
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delaySeconds: 0.05 }), host, '/a', '/b');
    await fetching.role().fetchSlice(host);
    const [, slow, next] = site.hits;
    expect((next?.at ?? 0) - (slow?.at ?? 0)).toBeGreaterThanOrEqual(245);
    expect(site.together()).toBe(1);
  });

  it('takes what fits into its time, and puts the rest back', async () => {
    const site = await startSite({ '/a': slowly(2_500, page('slow')) });
    const host = await fetching.host(site.origin);
    await robotsRead(pool, host.hostId);
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, host, '/a', '/b', '/c');
    expect(await fetching.role({ sliceMs: 2_000 }).fetchSlice(host)).toMatchObject({
      fetched: 1,
      next: 'more',
      queued: 2,
    });
    const states = Object.values(await fetching.urls(crawl, site.origin)).map(({ state }) => state);
    expect(states.toSorted()).toEqual(['done', 'queued', 'queued']);
  });

  it('is a single URL where the delay is longer than it, and leaves the wait to the workflow’s timer', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delaySeconds: 6 }), host, '/a', '/b');
    const role = fetching.role({ sliceMs: 1_000 });
    for (const expected of [['/robots.txt'], ['/robots.txt', '/a']]) {
      const result = await role.fetchSlice(host);
      expect(site.paths()).toEqual(expected);
      expect(result.waitMs).toBeGreaterThan(2_000);
      expect(result.waitMs).toBeLessThanOrEqual(6_001);
      // Asked too early (an activity retry, say), it sends nothing and says how long it is.
      expect(await role.fetchSlice(host)).toMatchObject({ fetched: 0, next: 'wait' });
      expect(site.paths()).toEqual(expected);
      if (expected.length === 1) await new Promise((waited) => setTimeout(waited, result.waitMs));
    }
    expect(least(gaps(site))).toBeGreaterThanOrEqual(6_000);
  });

  it('keeps the delay to the last request of the slice before, whichever process that was', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    const crawl = await fetching.crawl({ delaySeconds: 0.25 });
    for (const path of ['/a', '/b', '/c']) {
      await fetching.queue(crawl, host, path);
      await fetching.role().fetchSlice(host);
    }
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b', '/c']);
    expect(least(gaps(site))).toBeGreaterThanOrEqual(250);
  });

  it('of no length is one request a step', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl(), host, '/a', '/b');
    const role = fetching.role({ sliceMs: 0 });
    for (const sent of [['/robots.txt'], ['/robots.txt', '/a'], ['/robots.txt', '/a', '/b']]) {
      await role.fetchSlice(host);
      expect(site.paths()).toEqual(sent);
    }
  });

  it('does nothing where nothing is due', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 0, next: 'idle', waitMs: 0 });
    expect(site.paths()).toEqual([]);
  });
});

describe('a host whose place somebody else wants', () => {
  const wanted = ({ hostId }: HostRow) => changeHost(pool, hostId, { yield_at: fromNow() });

  it('yields at the end of its slice, with what is left queued, and is not asked sooner for that', async () => {
    const { site, host, crawl } = await fetching.site(['/a', '/b', '/c'], { config: { delaySeconds: 4 } });
    const role = fetching.role({ sliceMs: 100 });
    expect(await role.fetchSlice(host)).toMatchObject({ next: 'wait' });
    await wanted(host);
    expect(await role.fetchSlice(host)).toMatchObject({ next: 'yield', fetched: 0, queued: 3 });
    const quick = fetching.role({ sliceMs: 5_000 });
    const result = await quick.fetchSlice(host);
    expect(result).toMatchObject({ next: 'yield', queued: 3 - result.fetched });
    expect(result.queued).toBeGreaterThan(0);
    expect(least(gaps(site))).toBeGreaterThanOrEqual(4_000);
    await expectExact(pool, crawl);
  });

  it('is idle where nothing is left, and in trouble where it is', async () => {
    const [site, ill] = [await startSite(), await startSite({ '/robots.txt': status(503) })];
    const [host, sick] = [await fetching.host(site.origin), await fetching.host(ill.origin)];
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, host, '/a');
    await fetching.queue(crawl, sick, '/a');
    await Promise.all([wanted(host), wanted(sick)]);
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ next: 'idle', fetched: 1 });
    expect(await fetching.role().fetchSlice({ ...sick, inTrouble: false })).toMatchObject({
      next: 'trouble',
    });
  });
});

describe('Crawl-delay', () => {
  const delayed = async (seconds: string): Promise<{ site: Site; take: () => Promise<unknown> }> => {
    const site = await startSite({ '/robots.txt': robots('User-agent: *', `Crawl-delay: ${seconds}`) });
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delaySeconds: null }), host, '/a', '/b');
    return { site, take: () => fetching.role().fetchSlice(host) };
  };

  it('replaces the default, fractions included', async () => {
    const { site, take } = await delayed('0.4');
    expect(await take()).toMatchObject({ fetched: 2, delayMs: 400 });
    const [, between = 0] = gaps(site);
    expect(between).toBeGreaterThanOrEqual(400);
  });

  it('holds from the request for robots.txt on, which is one of the host’s like any other', async () => {
    const { site, take } = await delayed('1.5');
    await take();
    expect(least(gaps(site))).toBeGreaterThanOrEqual(1_500);
  });

  it('is undercut by no crawl: the longer of both holds', async () => {
    for (const [asked, holds] of [
      [0, 400],
      [0.6, 600],
    ] as const) {
      const site = await startSite({ '/robots.txt': robots('User-agent: *', 'Crawl-delay: 0.4') });
      const host = await fetching.host(site.origin);
      await fetching.queue(await fetching.crawl({ delaySeconds: asked }), host, '/a', '/b', '/c');
      expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 3, delayMs: holds });
      expect(least(gaps(site))).toBeGreaterThanOrEqual(holds);
    }
  });

  it('gives way to what an operator set', async () => {
    const site = await startSite({ '/robots.txt': robots('User-agent: *', 'Crawl-delay: 30') });
    const host = await fetching.host(site.origin);
    await hadSettings(pool, host.hostId, { delaySeconds: 0.12 });
    await fetching.queue(await fetching.crawl({ delaySeconds: null }), host, '/a', '/b');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 2, delayMs: 120 });
    expect(least(gaps(site))).toBeGreaterThanOrEqual(120);
  });
});
