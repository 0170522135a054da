/**
 * The daily look at hosts, and what follows from it, before a real database and a real site.
 * @module-tag long
 */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { viewHost } from '../../../storage/hosts/index.ts';
import { lookAtQuality, pinQuality, poorHosts, qualitiesOf } from '../../../storage/quality/index.ts';
import { importRanks } from '../../../storage/ranks/index.ts';
import { holdShape } from '../../../storage/traps/index.ts';
import { fromNow, tables } from '../../support/database/index.ts';
import { withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { page, startSite, status } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `/p/${String(at)}`);
const links = numbered(300)
  .map((path) => `<a href="${path}x">on</a>`)
  .join('');
const prose = (at: number): string =>
  Array.from({ length: 80 }, (_, word) => `w${((at * 97 + word) * 104_729).toString(36)}`).join(' ');

it('lowers hosts that have little to say, says why, and takes fewer of their links', async () => {
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
  expect(await qualitiesOf(pool, [small.origin])).toMatchObject([{ quality: 1, lookedAt: null }]);
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

const today = (): string => new Date().toISOString().slice(0, 10);
const explained = async (crawl: number, url: string): Promise<string> =>
  JSON.stringify(await explainUrlOf(pool, String(crawl), url, 'Orbweaver/0.0'));

it('delays the pages of a poor host beyond its budget, says why, and opens it again for an operator', async () => {
  const crawl = await fetching.crawl();
  const site = await startSite();
  const host = await fetching.host(site.origin);
  const id = Number(host.hostId);
  await fetching.queue(crawl, host, '/a', '/b');
  expect(await pinQuality(pool, site.origin, 0)).toBe(true);
  // The day may have changed since.
  await tables.host.change(pool, { id }, { requests_day: today(), requests_used: 99 });
  await fetching.role().fetchSlice(host);
  const asked = (): number => site.paths().filter((path) => path !== '/robots.txt').length;
  expect(asked()).toBeLessThanOrEqual(1);
  const view = await viewHost(pool, site.origin);
  expect(view).toMatchObject({
    ...{ state: 'closed', closedBy: 'quota', queued: 2 - asked() },
    quality: { value: 0, pinned: true, requestsPerDay: 100, authority: 'never' },
  });
  expect(await explained(crawl, `${site.origin}/b`)).toMatch(
    /The 100 requests a day that the quality .* spent/,
  );

  await pinQuality(pool, site.origin, null);
  expect(await viewHost(pool, site.origin)).toMatchObject({
    closedBy: null,
    quality: { requestsPerDay: null },
  });
  await fetching.role().fetchSlice(host);
  expect(asked()).toBe(2);
});

it('leaves a host for later whose requests mostly fail, lists it, and takes it back once they do not', async () => {
  const crawl = await fetching.crawl();
  const site = await startSite();
  const host = await fetching.host(site.origin);
  const id = Number(host.hostId);
  site.answers = Object.fromEntries(
    numbered(40).map((path, at) => [path, at % 4 === 3 ? status(500) : page(prose(at))]),
  );
  await fetching.queue(crawl, host, ...numbered(40));
  await fetching.role().fetchSlice(host);
  await readBodies(fetching, host);
  const { recent_asked: asked, recent_failed: failed } = await tables.host.row(pool, { id });
  expect(failed).toBeGreaterThanOrEqual(1);
  expect(asked).toBeGreaterThan(failed);

  const known = { known_at: fromNow(-60) };
  await tables.host.change(pool, { id }, { ...known, recent_asked: 80, recent_failed: 60 });
  await lookAtQuality(pool, id - 1, 1, -1);
  const [row] = await qualitiesOf(pool, [site.origin]);
  expect(row).toMatchObject({ leftForLater: true, requestsPerDay: 50 });
  expect((await poorHosts(pool, 0.01, -1, 0, 100)).map(({ origin }) => origin)).toContain(site.origin);
  await tables.host.change(pool, { id }, { requests_day: today(), requests_used: 50 });
  expect(await explained(crawl, `${site.origin}/new`)).toContain('it is left for later, and its 50 requests');

  await tables.host.change(pool, { id }, { recent_failed: 20 });
  await lookAtQuality(pool, id - 1, 1, -1);
  expect((await qualitiesOf(pool, [site.origin]))[0]?.leftForLater).toBe(false);
});

it('is not lowered for all by the quarantine of an operator, but by that of the rules', async () => {
  const crawl = await fetching.crawl();
  const host = await fetching.host((await startSite()).origin);
  const id = Number(host.hostId);
  await fetching.queue(crawl, host, ...numbered(60));
  await tables.host.change(pool, { id }, { known_at: fromNow(-60) });
  const [held] = await holdShape(pool, String(crawl), host.hostId, '/p/{n}', 'eve', 3_600);
  const trap = { state: 'excluded', reason: 'trap', detail: `${held?.id ?? ''}: /p/{n}` } as const;
  await tables.url.change(pool, { host_id: id, crawl_id: crawl }, trap);
  const looked = async (): Promise<number | undefined> => {
    await lookAtQuality(pool, id - 1, 1, -1);
    return (await qualitiesOf(pool, [host.origin]))[0]?.parts.traps;
  };
  expect(await looked()).toBe(0);
  await tables.quarantine.change(pool, { id: Number(held?.id) }, { rule: 'maze' });
  expect(await looked()).toBe(1);
});

it('makes authorities of ranked hosts, at once or with the next look, and none of poor ones', async () => {
  const crawl = await fetching.crawl();
  const before = await fetching.host('http://known.example');
  const authority = async ({ hostId }: { hostId: string }): Promise<boolean> =>
    (await tables.queue.row(pool, { host_id: Number(hostId), crawl_id: crawl })).authority;
  await fetching.queue(crawl, before, '/');
  await importRanks(
    pool,
    Readable.from([
      { domain: 'known.example', place: 10 },
      { domain: 'far.example', place: 200_000 },
    ]),
  );
  const { hosts } = fetching.dependencies().books;
  const met = async (origin: string) => ({ hostId: String(await hosts.idOf(origin)), origin });
  const [ranked, far] = [await met('http://www.known.example:8080'), await met('http://far.example')];
  await fetching.queue(crawl, ranked, '/');
  await fetching.queue(crawl, far, '/');
  expect([await authority(before), await authority(ranked), await authority(far)]).toEqual([
    false,
    true,
    false,
  ]);

  await tables.host.change(pool, { id: Number(before.hostId) }, { known_at: fromNow(-60) });
  await lookAtQuality(pool, Number(before.hostId) - 1, 1);
  expect(await authority(before)).toBe(true);
  await pinQuality(pool, before.origin, 0.3);
  expect(await authority(before)).toBe(false);
  await fetching.queue(crawl, before, '/more');
  expect(await authority(before)).toBe(false);
  await pinQuality(pool, before.origin, null);
  expect(await authority(before)).toBe(true);
});
