/** The daily look at hosts, and what follows from it, before a real database and a real site. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { lookAtQuality, pinQuality, poorHosts, qualitiesOf } from '../../../storage/quality/index.ts';
import { fromNow, tables } from '../../support/database/index.ts';
import { openFetching, type Fetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { page, startSite, status } from './site.ts';

let fetching: Fetching;
beforeAll(async () => {
  fetching = await openFetching();
});
afterAll(() => fetching.close());

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `/p/${String(at)}`);
const links = numbered(300)
  .map((path) => `<a href="${path}x">on</a>`)
  .join('');
const prose = (at: number): string =>
  Array.from({ length: 80 }, (_, word) => `w${((at * 97 + word) * 104_729).toString(36)}`).join(' ');

it('lowers hosts that have little to say, says why, and takes fewer of their links', async () => {
  const { pool } = fetching;
  const crawl = await fetching.crawl();
  const [poor, fine] = [await startSite(), await startSite()];
  poor.answers = {
    ...Object.fromEntries(
      numbered(80).map((path, at) => [path, at % 2 === 0 ? page('the same') : status(500)]),
    ),
    '/': page(links),
  };
  fine.answers = Object.fromEntries(numbered(40).map((path, at) => [path, page(prose(at))]));
  const hosts = [await fetching.host(poor.origin), await fetching.host(fine.origin)] as const;
  await fetching.queue(crawl, hosts[0], ...numbered(80));
  await fetching.queue(crawl, hosts[1], ...numbered(40));
  const role = fetching.role();
  for (const host of hosts) {
    await role.fetchSlice(host);
    await readBodies(fetching, host);
    await tables.host.change(pool, { id: Number(host.hostId) }, { known_at: fromNow(-60) });
  }

  const small = await startSite();
  const few = await fetching.host(small.origin);
  await fetching.queue(crawl, few, '/', '/one');
  await tables.host.change(pool, { id: Number(few.hostId) }, { known_at: fromNow(-60) });
  expect(await lookAtQuality(pool, 0, 100)).toBe(0);
  expect(await qualitiesOf(pool, [small.origin])).toMatchObject([{ quality: 1, looked_at: null }]);
  const [first] = await poorHosts(pool, 1, -1, 0, 10);
  expect(first).toMatchObject({ origin: poor.origin, pinned: false });
  expect(first?.parts.duplicates).toBeGreaterThan(0.9);
  expect((await qualitiesOf(pool, [fine.origin]))[0]?.quality).toBeGreaterThan(0.95);
  const before = first?.quality ?? 1;
  expect(before).toBeLessThan(0.9);
  // Once a day.
  await lookAtQuality(pool, 0, 100);
  expect((await qualitiesOf(pool, [poor.origin]))[0]?.quality).toBe(before);
  await lookAtQuality(pool, 0, 100, -1);
  expect((await qualitiesOf(pool, [poor.origin]))[0]?.quality).toBeLessThan(before);

  await pinQuality(pool, poor.origin, 0.2);
  await fetching.queue(crawl, hosts[0], '/');
  await fetching.role().fetchSlice(hosts[0]);
  await readBodies(fetching, hosts[0]);
  const rows = await fetching.urls(crawl, poor.origin);
  expect(rows['/']?.cut).toMatchObject({ links: 100 });
  const told = await explainUrlOf(pool, String(crawl), `${poor.origin}/p/7x`, 'Orbweaver/0.0');
  expect(told?.decisions.map(({ because }) => because).join(' ')).toContain('the quality of its host, 0.2');
  expect(rows['/p/7x']?.priority).toBeLessThanOrEqual(0.2);
  await pinQuality(pool, poor.origin, null);
  expect((await qualitiesOf(pool, [poor.origin]))[0]).toMatchObject({ pinned: false });
});
