/**
 * A robots.txt that redirects to another host (RFC 9309 §2.3.1.2): a request of that host, with that host's manners.
 *
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { releaseLease, takeLease } from '../../../storage/leases/index.ts';
import { hostRow, leaseEnded, robotsRead, tables, urlStates } from '../../support/database/index.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, page, redirect, robots, slowly, startSite, status, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

describe('a redirect to another host', () => {
  const pair = async (
    delaySeconds = 0,
  ): Promise<{ site: Site; other: Site; host: HostRow; otherHost: HostRow; crawl: number }> => {
    const other = await startSite(
      { '/robots.txt': robots('User-agent: *', 'Disallow: /private') },
      '127.0.0.2',
    );
    const site = await startSite({ '/robots.txt': redirect(`${other.origin}/robots.txt`) });
    const [host, otherHost] = [await fetching.host(site.origin), await fetching.host(other.origin)];
    const crawl = await fetching.crawl({ delaySeconds });
    await fetching.queue(crawl, host, '/a', '/private');
    return { site, other, host, otherHost, crawl };
  };

  it('brings that host’s rules, and leaves its lease as it was', async () => {
    const { site, other, host, otherHost } = await pair();
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
    expect(other.paths()).toEqual(['/robots.txt']);
    expect(await hostRow(pool, otherHost.hostId)).toMatchObject({
      ...{ lease_token: null, guest_until: null },
    });
  });

  it('is a request of that host: its next one waits', async () => {
    const { other, host, otherHost, crawl } = await pair();
    await fetching.role().fetchSlice(host);
    await fetching.queue(crawl, otherHost, '/b');
    await fetching.role().fetchSlice(otherHost);
    expect(other.paths()).toEqual(['/robots.txt', '/robots.txt', '/b']);
    expect(gaps(other)[0]).toBeGreaterThanOrEqual(1_000);
  });

  it('waits for that host’s own request in flight and its delay', async () => {
    const { site, other, host, otherHost, crawl } = await pair(0.2);
    other.answers = { ...other.answers, '/slow': slowly(400, page('slow')) };
    await fetching.queue(crawl, otherHost, '/slow', '/b', '/c');
    const role = fetching.role({ leaseMs: 2_000 });
    const theirs = role.fetchSlice(otherHost);
    await expect.poll(() => other.paths()).toContain('/slow');
    await Promise.all([theirs, role.fetchSlice(host)]);
    expect(other.together()).toBe(1);
    expect(Math.min(...gaps(other))).toBeGreaterThanOrEqual(200);
    // The guest came before the host's own slice was through.
    expect(other.paths().filter((path) => path === '/robots.txt')).toHaveLength(2);
    expect(site.paths()).toEqual(['/robots.txt', '/a']);
  });

  it('keeps that host’s Crawl-delay too', async () => {
    const { other, host, otherHost, crawl } = await pair();
    other.answers = { '/robots.txt': robots('User-agent: *', 'Crawl-delay: 2') };
    const polite = await fetching.crawl({ delaySeconds: null });
    await fetching.queue(polite, otherHost, '/b');
    const role = fetching.role();
    await fetching.queue(crawl, host, '/c');
    // The other host's rules are known; a slice of it has just ended.
    await robotsRead(pool, otherHost.hostId, {
      status: 200,
      body: 'User-agent: *\nCrawl-delay: 2\n',
    });
    await role.fetchSlice(host);
    await role.fetchSlice(otherHost);
    expect(other.paths()).toEqual(['/robots.txt', '/b']);
    expect(gaps(other)[0]).toBeGreaterThanOrEqual(2_000);
  });

  it('does not forget what a crashed slice of that host had in hand', async () => {
    const { host, otherHost, crawl } = await pair();
    await fetching.queue(crawl, otherHost, '/b');
    const [lease] = await takeLease(pool, otherHost.hostId, 60_000);
    await tables.url.change(
      pool,
      { host_id: otherHost.hostId },
      { state: 'leased', lease_token: lease?.token },
    );
    await leaseEnded(pool, otherHost.hostId);
    const role = fetching.role();
    await role.fetchSlice(host);
    await role.fetchSlice(otherHost);
    expect(await urlStates(pool, { host_id: otherHost.hostId })).toEqual({ 'done:fetched': 1 });
  });

  it('that is being left alone is not visited: nothing is fetched meanwhile, and nobody is to blame', async () => {
    const { site, other, host, otherHost } = await pair();
    const [lease] = await takeLease(pool, otherHost.hostId, 60_000);
    await releaseLease(pool, otherHost.hostId, lease?.token ?? 0, {
      ...{ waitMs: 3_600_000, paceMs: 0, failures: 1, lastError: 'overloaded', visit: null },
    });
    const result = await fetching.role().fetchSlice(host);
    expect(result).toMatchObject({ fetched: 0, lastError: null, deadLetters: 0, queued: 2 });
    expect(result.waitMs).toBeGreaterThan(1_000);
    expect(other.paths()).toEqual([]);
    expect(site.paths()).toEqual(['/robots.txt']);
    const row = await hostRow(pool, otherHost.hostId);
    expect(row.not_before_ms).toBeGreaterThan(3_500_000);
    expect(row.failures).toBe(1);
  });

  it.each([429, 503])(
    'that asks by %i for time gets it, and so does the host that redirects',
    async (code) => {
      const { site, other, host, otherHost } = await pair();
      other.answers = { '/robots.txt': status(code, { 'retry-after': '60' }) };
      const { waitMs } = await fetching.role().fetchSlice(host);
      expect(waitMs).toBeGreaterThan(50_000);
      expect((await hostRow(pool, otherHost.hostId)).not_before_ms).toBeGreaterThan(50_000);
      expect([site.paths(), other.paths()]).toEqual([['/robots.txt'], ['/robots.txt']]);
    },
  );

  it.each([
    ['2', ['/robots.txt']],
    ['60', []],
  ])(
    'that says when to follow it (Retry-After: %s) is followed then, and no sooner',
    async (seconds, asked) => {
      const { site, other, host } = await pair();
      site.answers = {
        '/robots.txt': status(302, { location: `${other.origin}/robots.txt`, 'retry-after': seconds }),
      };
      const { waitMs } = await fetching.role().fetchSlice(host);
      expect(other.paths()).toEqual(asked);
      const [first] = site.hits;
      for (const { at } of other.hits) expect(at - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000);
      if (asked.length === 0) expect(waitMs).toBeGreaterThan(50_000);
    },
  );

  it('that asks for time by leading on later gets it itself', async () => {
    const { site, other, host, otherHost } = await pair();
    other.answers = { '/robots.txt': status(302, { location: '/rules.txt', 'retry-after': '60' }) };
    const { waitMs } = await fetching.role().fetchSlice(host);
    expect(waitMs).toBeGreaterThan(50_000);
    expect((await hostRow(pool, otherHost.hostId)).not_before_ms).toBeGreaterThan(50_000);
    expect([site.paths(), other.paths()]).toEqual([['/robots.txt'], ['/robots.txt']]);
  });

  it('by two Locations that contradict each other is not followed', async () => {
    const { site, other, host } = await pair();
    site.answers = {
      '/robots.txt': (response) => {
        response.writeHead(302, ['location', `${other.origin}/robots`, 'location', '.txt']).end();
      },
    };
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toContain('/robots.txt');
    expect(other.paths()).toEqual([]);
  });

  it('at a guarded address is not followed', async () => {
    const { site, host, crawl } = await fetching.site(['/a'], {
      answers: { '/robots.txt': redirect('http://10.0.0.1/robots.txt') },
    });
    await fetching.role().fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt']);
    expect((await fetching.urls(crawl, site.origin))['/a']?.state).not.toBe('done');
  });
});
