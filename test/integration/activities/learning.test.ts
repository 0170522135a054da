/** What a host has asked for is kept, whatever happens to the answer's own row (docs/design.md, "The slice"). */
import { expect, it } from 'vitest';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { takeLease } from '../../../storage/leases/index.ts';
import { changeHost, fromNow, hostRow, leaseEnded, robotsRead } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';
import { startSite, status, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

/** Milliseconds since the last request came. */
const sinceLast = ({ hits }: Site): number => performance.now() - (hits.at(-1)?.at ?? NaN);

it('keeps Retry-After and the delay that it is slowed to apart: the longer one is waited out', async () => {
  const site = await startSite({ '/a': status(429, { 'retry-after': '30' }) });
  const host = await fetching.host(site.origin);
  await fetching.queue(await fetching.crawl(), host, '/a');
  await robotsRead(pool, host.hostId);
  await changeHost(pool, host.hostId, { slowdown: 3, since_complaint: 4 });
  const result = await fetching.role({ sliceMs: 60_000 }).fetchSlice(host);
  expect(site.paths()).toEqual(['/a']);
  expect(result).toMatchObject({ next: 'trouble', delayMs: 16_000 });
  expect(result.waitMs).toBeGreaterThan(29_000);
  const row = await hostRow(pool, host.hostId);
  expect(row).toMatchObject({ slowdown: 4 });
  expect(row.not_before_ms + sinceLast(site)).toBeGreaterThan(28_000);
});

it('keeps it where the answer’s row could not be written', async () => {
  const { site, host, crawl } = await fetching.site(['/a'], {
    answers: { '/a': status(429, { 'retry-after': '30' }) },
  });
  class Away extends FrontierWriter {
    override write(): Promise<never> {
      return Promise.reject(Object.assign(new Error('the connection is gone'), { code: '57P01' }));
    }
  }
  await expect(fetching.role({}, { writer: new Away(pool) }).fetchSlice(host)).rejects.toThrow();
  expect(site.paths()).toEqual(['/robots.txt', '/a']);
  const row = await hostRow(pool, host.hostId);
  expect(row).toMatchObject({ slowdown: 1, failures: 1 });
  expect(row.not_before_ms + sinceLast(site)).toBeGreaterThan(28_000);
  expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject({ state: 'queued' });
});

it.each([
  ['in a row with the last is left to the pauses', false, 1],
  ['after a lost lease doubles the delay: clean answers before it may be forgotten', true, 2],
])('a complaint %s', async (_, lost, slowdown) => {
  const site = await startSite({ '/a': status(429, { 'retry-after': '30' }) });
  const host = await fetching.host(site.origin);
  await fetching.queue(await fetching.crawl(), host, '/a');
  await robotsRead(pool, host.hostId);
  await changeHost(pool, host.hostId, {
    slowdown: 1,
    since_complaint: 0,
    complained_at: fromNow(-1),
  });
  if (lost) {
    await takeLease(pool, host.hostId, 60_000);
    await leaseEnded(pool, host.hostId);
  }
  const role = fetching.role({ sliceMs: 60_000 });
  // A visit may end before the wait that follows a lost lease is over; the next one goes on.
  while (site.paths().length === 0) await role.fetchSlice(host);
  expect(site.paths()).toEqual(['/a']);
  expect(await hostRow(pool, host.hostId)).toMatchObject({ slowdown });
});
