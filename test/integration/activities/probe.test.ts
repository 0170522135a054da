/** The probe of a parked host: one polite request of robots.txt, and none where nothing would come of it (F14). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parkHost } from '../../../storage/hosts/index.ts';
import { closedPort } from '../../net/raw-server.ts';
import { expectExact } from '../storage/frontier.ts';
import { hadSettings } from '../../support/host-settings.ts';
import { openFetching, type Fetching, type HostRow } from './fetching.ts';
import { gaps, robots, startSite, status, type Answer, type Site } from './site.ts';

let fetching: Fetching;
beforeAll(async () => {
  fetching = await openFetching();
});
afterAll(() => fetching.close());

interface Parked {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}
const park = (host: HostRow) =>
  parkHost(fetching.pool, host.hostId, 'timeout: it took too long', ['timeout']);
async function parked(answers: Readonly<Record<string, Answer>> = {}): Promise<Parked> {
  const site = await startSite(answers);
  const host = await fetching.host(site.origin);
  const crawl = await fetching.crawl();
  await fetching.queue(crawl, host, '/a');
  await park(host);
  return { site, host, crawl };
}
const set = (host: HostRow, what: string) =>
  fetching.pool.query(`update host set ${what} where id = $1`, [host.hostId]);
const row = async ({ hostId }: HostRow): Promise<Record<string, unknown>> => {
  const { rows } = await fetching.pool.query<Record<string, unknown>>(
    `select parked_at is not null as parked, last_error, failures, lease_token,
            extract(epoch from not_before - now()) as rest from host where id = $1`,
    [hostId],
  );
  return rows[0] ?? {};
};

describe('a host that answers', () => {
  it('is asked for robots.txt, once, which is kept; the host’s row stays as it is', async () => {
    const { site, host, crawl } = await parked({ '/robots.txt': robots('User-agent: *', 'Disallow: /no') });
    await set(host, 'failures = 5');
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(await row(host)).toMatchObject({
      ...{ parked: true, failures: 5, last_error: 'timeout: it took too long', lease_token: null },
    });
    const { rows } = await fetching.pool.query('select status from robots where host_id = $1', [host.hostId]);
    expect(rows).toEqual([{ status: 200 }]);
    expect(await expectExact(fetching.pool, crawl)).toMatchObject({ queued: 1 });
  });

  it('has no robots.txt: everything may be fetched (RFC 9309 §2.3.1.3)', async () => {
    const { host } = await parked();
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
  });
});

describe('a host that does not', () => {
  it('refuses connections still', async () => {
    const host = await fetching.host(`http://127.0.0.1:${String(await closedPort())}`);
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
    expect(Number((await row(host))['rest'])).toBeGreaterThan(7_190);
    const early = await fetching.role().probeHost(host);
    expect(early).toMatchObject({ outcome: 'not-yet' });
    expect(early.waitMs).toBeGreaterThan(7_180_000);
    expect(site.paths()).toEqual(['/robots.txt']);
  });
});

describe('no request is sent', () => {
  it.each([
    ['sooner than the delay after the last one', `not_before = now() + interval '1 hour'`, {}, 'not-yet'],
    [
      'outside its opening times or over its quota',
      `requests_day = to_char(now(), 'YYYY-MM-DD')::date, requests_used = 1`,
      { quotaPerDay: 1 },
      'not-yet',
    ],
  ] as const)('%s', async (_when, change, settings, outcome) => {
    const { site, host } = await parked();
    await hadSettings(fetching.pool, host.hostId, settings);
    await set(host, change);
    const result = await fetching.role().probeHost(host);
    expect(result).toMatchObject({ outcome });
    expect(result.waitMs).toBeGreaterThan(0);
    expect(site.paths()).toEqual([]);
  });

  it('after a crash before a full delay has passed', async () => {
    const { site, host } = await parked();
    await hadSettings(fetching.pool, host.hostId, { delaySeconds: 0.9 });
    await set(host, `lease_token = 1, lease_until = now() - interval '1 second'`);
    const began = performance.now();
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
    expect((site.hits[0]?.at ?? 0) - began).toBeGreaterThanOrEqual(880);
  });

  it.each([
    ['its crawl is paused', `update crawl set state = 'paused' where id = $1`],
    ['its crawl was cancelled', `update crawl set state = 'cancelled', cause = 'cancelled' where id = $1`],
    [
      'its crawl ended at a limit',
      `update crawl set state = 'finished', cause = 'limit:max-pages' where id = $1`,
    ],
    [
      'nothing is queued there any more',
      `update url set state = 'excluded', reason = 'dropped' where crawl_id = $1`,
    ],
  ])('where %s', async (_why, change) => {
    const { site, host, crawl } = await parked();
    await fetching.pool.query(change, [crawl]);
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'pointless' });
    expect(site.paths()).toEqual([]);
  });

  it('where its domain has opted out', async () => {
    const { site, host } = await parked();
    await fetching.pool.query(`insert into opt_out (domain) values ('127.0.0.1')`);
    await fetching.pool.query('update opt_out_revision set revision = revision + 1');
    expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'pointless' });
    expect(site.paths()).toEqual([]);
    await fetching.pool.query('delete from opt_out');
    await fetching.pool.query('update opt_out_revision set revision = revision + 1');
  });
});

it('waits for dead letters of a crawl that has run out of work', async () => {
  const { site, host, crawl } = await parked();
  await fetching.pool.query(
    `update url set attempts = 1, reason = 'timeout' where crawl_id = $1 and state = 'queued'`,
    [crawl],
  );
  await park(host);
  await fetching.pool.query(`update crawl set state = 'finished', cause = 'complete' where id = $1`, [crawl]);
  expect(await fetching.role().probeHost(host)).toMatchObject({ outcome: 'answers' });
  expect(site.paths()).toEqual(['/robots.txt']);
});

it('keeps the pace of the slice that follows', async () => {
  const { site, host } = await parked();
  await hadSettings(fetching.pool, host.hostId, { delaySeconds: 0.7 });
  const role = fetching.role();
  await role.probeHost(host);
  await set(host, 'parked_at = null');
  await role.fetchSlice(host);
  expect(site.paths()).toEqual(['/robots.txt', '/a']);
  expect(gaps(site).at(-1)).toBeGreaterThanOrEqual(700);
});
