/** The probe of a parked host: one polite request of robots.txt, and none where nothing would come of it (F14). */
import { describe, expect, it } from 'vitest';
import { parkHost } from '../../../storage/hosts/index.ts';
import { rawServer, response } from '../../net/raw-server.ts';
import { closedEndpoint, freshAddress } from '../../support/loopback.ts';
import { expectExact } from '../storage/frontier.ts';
import {
  changeHost,
  fromNow,
  hadSettings,
  hostRow,
  noOptOuts,
  optedOut,
  setState,
  tables,
} from '../../support/database/index.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, robots, status, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

interface Parked {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}
const park = (host: HostRow) => parkHost(pool, host.hostId, 'timeout: it took too long', ['timeout']);
async function parked(answers: Readonly<Record<string, Answer>> = {}): Promise<Parked> {
  const { site, host, crawl } = await fetching.site(['/a'], { answers });
  await park(host);
  return { site, host, crawl };
}
const row = ({ hostId }: HostRow) => hostRow(pool, hostId);

describe('a host that answers', () => {
  it('is asked for robots.txt, once, which is kept; the host’s row stays as it is', async () => {
    const { site, host, crawl } = await parked({ '/robots.txt': robots('User-agent: *', 'Disallow: /no') });
    await changeHost(pool, host.hostId, { failures: 5 });
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(await row(host)).toMatchObject({
      ...{ parked_at: expect.any(Date) as Date, failures: 5, lease_token: null },
      last_error: 'timeout: it took too long',
    });
    expect(await tables.robots.row(pool, { host_id: host.hostId })).toMatchObject({ status: 200 });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1 });
  });

  it('has no robots.txt: everything may be fetched (RFC 9309 §2.3.1.3)', async () => {
    const { host } = await parked();
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
  });
});

describe('a host that does not', () => {
  it('refuses connections still', async () => {
    const host = await fetching.host((await closedEndpoint()).origin);
    await fetching.queue(await fetching.crawl(), host, '/a');
    await park(host);
    const result = await fetching.role().probeHost(host);
    expect(result).toMatchObject({ outcome: 'fails', message: expect.stringContaining('refused') as string });
  });

  it('asks for time: that is kept to (RFC 9110 §10.2.3)', async () => {
    const { site, host } = await parked({ '/robots.txt': status(503, { 'retry-after': '7200' }) });
    const first = await fetching.role().probeHost(host);
    expect(first).toMatchObject({ outcome: 'fails', message: expect.stringContaining('503') as string });
    expect(first.waitMs).toBeGreaterThan(7_190_000);
    expect((await row(host)).not_before_ms).toBeGreaterThan(7_190_000);
    const early = await fetching.role().probeHost(host);
    expect(early).toMatchObject({ outcome: 'not-yet' });
    expect(early.waitMs).toBeGreaterThan(7_180_000);
    expect(site.paths()).toEqual(['/robots.txt']);
  });
});

describe('no request is sent', () => {
  it.each([
    ['sooner than the delay after the last one', { not_before: fromNow(3_600) }, {}, 'not-yet'],
    [
      'outside its opening times or over its quota',
      { requests_day: new Date().toISOString().slice(0, 10), requests_used: 1 },
      { quotaPerDay: 1 },
      'not-yet',
    ],
  ] as const)('%s', async (_when, change, settings, outcome) => {
    const { site, host } = await parked();
    await hadSettings(pool, host.hostId, settings);
    await changeHost(pool, host.hostId, change);
    const result = await fetching.role().probeHost(host);
    expect(result).toMatchObject({ outcome });
    expect(result.waitMs).toBeGreaterThan(0);
    expect(site.paths()).toEqual([]);
  });

  it('beyond the quota, though one that the server never saw is repeated; each that leaves counts once', async () => {
    for (const [quotaPerDay, sent] of [
      [9, 3],
      [2, 2],
    ] as const) {
      // The kept connection is closed under the second request.
      const server = await rawServer((socket, _request, count) => {
        if (count === 1) socket.write(response('', {}, '404 Not Found'));
        else socket.destroy();
      }, freshAddress());
      const host = await fetching.host(server.origin);
      await fetching.queue(await fetching.crawl(), host, '/a');
      await hadSettings(pool, host.hostId, { quotaPerDay, delaySeconds: 0 });
      await park(host);
      const role = fetching.role();
      expect(await role.probeHost(host)).toMatchObject({ outcome: 'answers' });
      await role.probeHost(host).catch(() => undefined);
      expect(server.requests).toHaveLength(sent);
      expect(await row(host)).toMatchObject({ requests_used: sent });
    }
  });

  it('after a crash before a full delay has passed', async () => {
    const { site, host } = await parked();
    await hadSettings(pool, host.hostId, { delaySeconds: 0.9 });
    await changeHost(pool, host.hostId, { lease_token: 1, lease_until: fromNow(-1) });
    const began = performance.now();
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
    expect((site.hits[0]?.at ?? 0) - began).toBeGreaterThanOrEqual(880);
  });

  it.each<[string, (crawl: number) => Promise<unknown>]>([
    ['its crawl is paused', (crawl) => setState(pool, crawl, 'paused')],
    ['its crawl was cancelled', (crawl) => setState(pool, crawl, 'cancelled')],
    ['its crawl ended at a limit', (crawl) => setState(pool, crawl, 'finished', null, 'limit:max-pages')],
    [
      'nothing is queued there any more',
      (crawl) => tables.url.change(pool, { crawl_id: crawl }, { state: 'excluded', reason: 'dropped' }),
    ],
  ])('where %s', async (_why, change) => {
    const { site, host, crawl } = await parked();
    await change(crawl);
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'pointless' });
    expect(site.paths()).toEqual([]);
  });

  it('where its domain has opted out', async () => {
    const { site, host } = await parked();
    await optedOut(pool, new URL(site.origin).hostname);
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'pointless' });
    expect(site.paths()).toEqual([]);
    await noOptOuts(pool);
  });
});

it('waits for dead letters of a crawl that has run out of work', async () => {
  const { site, host, crawl } = await parked();
  await tables.url.change(pool, { crawl_id: crawl, state: 'queued' }, { attempts: 1, reason: 'timeout' });
  await park(host);
  await setState(pool, crawl, 'finished');
  expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
  expect(site.paths()).toEqual(['/robots.txt']);
});

it('keeps the pace of the slice that follows', async () => {
  const { site, host } = await parked();
  await hadSettings(pool, host.hostId, { delaySeconds: 0.7 });
  const role = fetching.role();
  await role.probeHost(host);
  await changeHost(pool, host.hostId, { parked_at: null });
  await role.fetchSlice(host);
  expect(site.paths()).toEqual(['/robots.txt', '/a']);
  expect(gaps(site).at(-1)).toBeGreaterThanOrEqual(700);
});
