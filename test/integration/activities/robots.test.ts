/** robots.txt before any URL of a host (RFC 9309; docs/design.md, "Politeness"). */
import { describe, expect, it } from 'vitest';
import { failureTypes } from '../../../contracts/failures.ts';
import { RobotsBook } from '../../../engine/books/robots-book.ts';
import { FetchContext } from '../../../engine/visit/fetch-context.ts';
import { HostVisit } from '../../../engine/visit/host-visit.ts';
import { Slice, type SliceEnd } from '../../../engine/visit/slice.ts';
import { askRobots } from '../../../storage/hosts/index.ts';
import {
  changeHost,
  fromNow,
  hostRested,
  hostRow,
  longAgo,
  robotsRead,
  tables,
} from '../../support/database/index.ts';
import { until } from '../../support/until.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, redirect, robots, startSite, status } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const hosted = async (answers: Parameters<typeof startSite>[0] = {}, ...paths: readonly string[]) => {
  const { site, host, crawl } = await fetching.site(paths, { answers });
  return { site, host, crawl };
};
const day = 24 * 3_600;
const ageRobots = (host: HostRow, seconds: number) =>
  tables.robots.change(pool, { host_id: host.hostId }, { fetched_at: fromNow(-seconds) });
/** A visit of an hour, and how much of its time is left when its URLs are spent. @param sliceMs as set */
async function longVisit(host: HostRow, sliceMs: number): Promise<{ end: SliceEnd; leftMs: number }> {
  const dependencies = fetching.dependencies({ sliceMs });
  const context = new FetchContext(dependencies);
  const { signal } = new AbortController();
  const lease = await context.keeper.take(host.hostId, 0, signal);
  if (lease === null) throw new Error('the lease is taken');
  const visit = new HostVisit(dependencies, lease, host.origin, signal);
  const end = await new Slice(context, visit, 3_600_000, signal).run();
  return { end, leftMs: visit.endsAt - performance.now() };
}
/** Backoff over, failures remembered. */
const recover = (host: HostRow, failures: number) =>
  changeHost(pool, host.hostId, { not_before: longAgo, failures });

describe('what it forbids (RFC 9309 §2.2)', () => {
  it('is excluded without a request, with the line that says so', async () => {
    const rules = robots(
      'User-agent: *',
      'Disallow: /private',
      'Allow: /private/open',
      '',
      'User-agent: other',
      'Disallow: /',
    );
    const { site, host, crawl } = await hosted(
      { '/robots.txt': rules },
      '/a',
      '/private/b',
      '/private/open/c',
      '/d',
    );
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 4 });
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/private/open/c', '/d']);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/private/b']).toMatchObject({ state: 'excluded', reason: 'robots', fetches: 0 });
    expect(urls['/private/b']?.detail).toContain('line 2: Disallow: /private');
  });

  it('is judged by each crawl’s own product token (§2.2.1), and by ours under any other', async () => {
    const rules = robots(
      ...['User-agent: Orbweaver', 'Disallow: /mine', 'User-agent: *', 'Disallow:'],
      ...['User-agent: friendly', 'Disallow: /friends'],
    );
    const { site, host, crawl } = await hosted({ '/robots.txt': rules }, '/mine');
    const other = await fetching.crawl({ userAgent: 'Friendly/1.0' });
    await fetching.queue(other, host, '/friends', '/mine', '/theirs');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/theirs']);
    expect((await fetching.urls(crawl, site.origin))['/mine']).toMatchObject({
      state: 'excluded',
      reason: 'robots',
    });
    for (const path of ['/friends', '/mine'])
      expect((await fetching.urls(other, site.origin))[path]).toMatchObject({ state: 'excluded' });
    expect(site.hits.at(-1)?.headers['user-agent']).toBe('Friendly/1.0');
  });
});

describe('how long it is kept (§2.4)', () => {
  it('is read once by all processes, and again after a day', async () => {
    const { site, host, crawl } = await hosted({}, '/a');
    const [first, second] = [fetching.role(), fetching.role()];
    await first.fetchSlice(host);
    await fetching.queue(crawl, host, '/b');
    await second.fetchSlice(host);
    await fetching.queue(crawl, host, '/c');
    await first.fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b', '/c']);
    await ageRobots(host, day + 1);
    await fetching.queue(crawl, host, '/d');
    await fetching.role().fetchSlice(host);
    expect(site.paths().slice(4)).toEqual(['/robots.txt', '/d']);
  });

  it('ends a long visit when it gets a day old', async () => {
    const { site, host, crawl } = await hosted(
      { '/robots.txt': robots('User-agent: *', 'Crawl-delay: 1') },
      '/a',
    );
    await fetching.role().fetchSlice(host);
    await fetching.queue(crawl, host, '/b', '/c', '/d', '/e', '/f', '/g');
    // It is kept by the delay longer.
    await ageRobots(host, day - 1.5);
    const { end } = await longVisit(host, 1_500);
    expect(end).toMatchObject({ next: 'more' });
    expect(site.paths()).not.toContain('/f');
  });

  it('ends a long visit after a quarter of an hour when it is too old already and no other can be had', async () => {
    const { site, host, crawl } = await hosted({}, '/a');
    await fetching.role().fetchSlice(host);
    site.answers = { '/robots.txt': status(500) };
    await ageRobots(host, 2 * day);
    await fetching.queue(crawl, host, '/b');
    const { end, leftMs } = await longVisit(host, 10_000);
    expect(end).toMatchObject({ settled: 1 });
    expect(leftMs).toBeGreaterThan(600_000);
    expect(leftMs).toBeLessThanOrEqual(900_000);
  });

  it('is kept by the delay longer, so that a host of one request a day is asked for pages too', async () => {
    const { site, host } = await hosted(
      { '/robots.txt': robots('User-agent: *', `Crawl-delay: ${String(day)}`) },
      ...['/a', '/b'],
    );
    /** The delay after the last request is over. */
    const nextVisit = async () => {
      await hostRested(pool, host.hostId);
      await tables.queue.change(pool, { host_id: host.hostId }, { own_turn_at: longAgo, asked_at: null });
      return fetching.role().fetchSlice(host);
    };
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 0 });
    await ageRobots(host, 1.5 * day);
    expect(await nextVisit()).toMatchObject({ fetched: 1 });
    await ageRobots(host, 2 * day);
    expect(await nextVisit()).toMatchObject({ fetched: 0 });
    expect(await nextVisit()).toMatchObject({ fetched: 1 });
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/robots.txt', '/b']);
  });

  it('is looked up again once it is a day old: another process may have read a newer one', async () => {
    const { host } = await hosted();
    await robotsRead(pool, host.hostId);
    const book = new RobotsBook(pool);
    const ageMs = async () => (await book.find(host.hostId, null))?.ageMs ?? Infinity;
    await ageRobots(host, day - 0.5);
    expect(await ageMs()).toBeGreaterThan(1_000 * (day - 1));
    await ageRobots(host, 0);
    await until('the newer copy is found', async () => (await ageMs()) < 1_000 * day - 60_000);
  });

  it('serves on where a new one cannot be had (§2.3.1.4), up to its limit', async () => {
    const { site, host, crawl } = await hosted(
      { '/robots.txt': robots('User-agent: *', 'Disallow: /b') },
      '/a',
    );
    await fetching.role().fetchSlice(host);
    site.answers = { '/robots.txt': status(500) };
    await ageRobots(host, 2 * day);
    await fetching.queue(crawl, host, '/b', '/c');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 2, lastError: null });
    expect(site.paths().slice(2)).toEqual(['/robots.txt', '/c']);
    await ageRobots(host, 31 * day);
    await fetching.queue(crawl, host, '/d');
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 0, next: 'trouble' });
    expect(site.paths()).not.toContain('/d');
  });
});

describe('what its answer means (§2.3.1)', () => {
  it.each([400, 401, 403, 404, 410])('%i: there is none, everything is allowed (§2.3.1.3)', async (code) => {
    const { site, host } = await hosted({ '/robots.txt': status(code) }, '/a');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
  });

  it.each([429, 500, 503])('%i: nothing is fetched (§2.3.1.4), and the host backs off', async (code) => {
    const { site, host, crawl } = await hosted({ '/robots.txt': status(code) }, '/a', '/b');
    const result = await fetching.role().fetchSlice(host);
    expect(result).toMatchObject({ fetched: 0, next: 'trouble', queued: 2, deadLetters: 0 });
    expect(result.waitMs).toBeGreaterThan(4_000);
    expect(result.lastError).toContain(`robots-unreachable: robots.txt answers ${String(code)}`);
    expect(site.paths()).toEqual(['/robots.txt']);
    const attempts = Object.values(await fetching.urls(crawl, site.origin)).map((url) => url.attempts);
    expect(attempts.toSorted()).toEqual([0, 1]);
  });

  it.each([
    ['max-age=900', 800, 1_000],
    ['no-store', 500, 700],
    ['max-age=99999999', day - 100, day + 100],
  ])('with Cache-Control: %s is used for %i s, and read again after %i s', async (says, used, again) => {
    const answer = status(404, { 'cache-control': says });
    const { site, host, crawl } = await hosted({ '/robots.txt': answer }, '/a');
    await fetching.role().fetchSlice(host);
    for (const [seconds, path, asked] of [
      [used, '/b', 1],
      [again, '/c', 2],
    ] as const) {
      await ageRobots(host, seconds);
      await fetching.queue(crawl, host, path);
      await fetching.role().fetchSlice(host);
      expect(site.paths().filter((each) => each === '/robots.txt')).toHaveLength(asked);
    }
    expect(site.paths()).toContain('/c');
  });

  it('that may be kept for ten minutes ends a longer visit with them', async () => {
    const { host } = await hosted({ '/robots.txt': status(404, { 'cache-control': 'max-age=600' }) }, '/a');
    const { leftMs } = await longVisit(host, 1_000);
    expect(leftMs).toBeGreaterThan(500_000);
    expect(leftMs).toBeLessThanOrEqual(600_000);
  });

  it('asks for patience: Retry-After is honoured where it is longer than the backoff', async () => {
    const { host } = await hosted({ '/robots.txt': status(503, { 'retry-after': '120' }) }, '/a');
    const { waitMs } = await fetching.role().fetchSlice(host);
    expect(waitMs).toBeGreaterThan(118_000);
    expect(waitMs).toBeLessThanOrEqual(120_000);
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ next: 'wait', fetched: 0 });
  });

  it('is for Temporal to retry where the host was failing already, and at last for a person', async () => {
    const { site, host } = await hosted({ '/robots.txt': status(500) }, '/a');
    await recover(host, 1);
    await expect(fetching.role().fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.host,
      nonRetryable: false,
      message: expect.stringContaining('robots-unreachable') as string,
    });
    await recover(host, 5);
    await expect(fetching.role().fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.spent,
      nonRetryable: true,
    });
    expect(site.paths()).toEqual(['/robots.txt', '/robots.txt']);
    site.answers = {};
    await recover(host, 6);
    expect(await fetching.role().fetchSlice(host)).toMatchObject({ fetched: 1, lastError: null });
    expect(await hostRow(pool, host.hostId)).toMatchObject({ failures: 0 });
  });

  it('may be long: half a mebibyte is read, the rest is not (§2.5)', async () => {
    const filler = `# ${'x'.repeat(98)}`;
    const long = robots(
      'User-agent: *',
      'Disallow: /early',
      ...Array<string>(5_300).fill(filler),
      'Disallow: /late',
    );
    const { site, host } = await hosted({ '/robots.txt': long }, '/early', '/late');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/late']);
  });
});

describe('Sitemap lines (§2.2.4)', () => {
  it('feed each crawl that comes to the host, once', async () => {
    const { site, host, crawl } = await hosted({}, '/a');
    site.answers = {
      '/robots.txt': robots(
        `Sitemap: ${site.origin}/map.xml`,
        'Sitemap: /relative.xml',
        'Sitemap: mailto:map@example.org',
      ),
    };
    await fetching.role().fetchSlice(host);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/map.xml']).toMatchObject({ kind: 1, depth: 0 });
    expect(urls['/relative.xml']).toMatchObject({ kind: 1 });
    const other = await fetching.crawl();
    await fetching.queue(other, host, '/b');
    await fetching.role().fetchSlice(host);
    expect(Object.keys(await fetching.urls(other, site.origin)).toSorted()).toEqual([
      '/b',
      '/map.xml',
      '/relative.xml',
    ]);
  });

  it('of another host are read for each crawl whose scope has the host that names them', async () => {
    const site = await startSite({ '/robots.txt': robots('Sitemap: http://elsewhere.example/map.xml') });
    const host = await fetching.host(site.origin);
    const narrow = await fetching.crawl({ scope: 'host' }, [`${site.origin}/`]);
    const wide = await fetching.crawl({ scope: 'any' });
    for (const crawl of [narrow, wide]) await fetching.queue(crawl, host, '/a');
    await fetching.role().fetchSlice(host);
    for (const crawl of [narrow, wide])
      expect(Object.keys(await fetching.urls(crawl, site.origin)).toSorted()).toEqual([
        '/a',
        'http://elsewhere.example/map.xml',
      ]);
  });
});

describe('redirects (§2.3.1.2)', () => {
  it('are followed at the host’s own pace', async () => {
    const site = await startSite({
      '/robots.txt': redirect('/moved.txt', 302),
      '/moved.txt': robots('User-agent: *', 'Disallow: /private'),
    });
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl({ delaySeconds: 0.15 }), host, '/private', '/a');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/moved.txt', '/a']);
    expect(Math.min(...gaps(site))).toBeGreaterThanOrEqual(150);
  });

  it('end after five, as if there were none', async () => {
    const hop: Record<string, ReturnType<typeof redirect>> = { '/robots.txt': redirect('/1') };
    for (let at = 1; at <= 9; at++) hop[`/${String(at)}`] = redirect(`/${String(at + 1)}`);
    const { site, host } = await hosted(hop, '/a');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/1', '/2', '/3', '/4', '/5', '/a']);
  });

  it('to nowhere: as if there were none', async () => {
    const { site, host } = await hosted({ '/robots.txt': redirect('mailto:robots@example.org') }, '/a');
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
  });
});

it('is read again at once where somebody asks for it, whatever its old copy asks for, and by every process', async () => {
  const { site, host } = await hosted({ '/robots.txt': robots('User-agent: *', 'Crawl-delay: 3600') });
  const crawl = await fetching.crawl({ delaySeconds: null });
  await fetching.queue(crawl, host, '/a', '/b');
  const [first, second] = [fetching.role({ sliceMs: 0 }), fetching.role()];
  expect((await first.fetchSlice(host)).delayMs).toBe(3_600_000);
  expect((await first.fetchSlice(host)).next).toBe('wait');
  site.answers = { '/robots.txt': robots('User-agent: *', 'Crawl-delay: 0.2') };
  expect(await askRobots(pool, host.origin)).toHaveLength(1);
  await second.fetchSlice(host);
  expect(site.paths().filter((path) => path === '/robots.txt')).toHaveLength(2);
  expect(site.paths()).toContain('/a');
  // The one that had the old copy goes by the new one, and does not ask again.
  await fetching.queue(crawl, host, '/c');
  expect((await first.fetchSlice(host)).delayMs).toBeLessThanOrEqual(1_000);
  expect(site.paths().filter((path) => path === '/robots.txt')).toHaveLength(2);
  for (const gap of gaps(site)) expect(gap).toBeGreaterThanOrEqual(195);
});
