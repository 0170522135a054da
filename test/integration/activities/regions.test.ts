/** Regions (F17) on real parts: which process a visit and the door are for, by setting, name and address. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRegions, type Regions } from '../../../domain/regions.ts';
import { outageText } from '../../../domain/outage.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { Door } from '../../../engine/door/door.ts';
import { RegionBook } from '../../../engine/regions/region-book.ts';
import { Census } from '../../../engine/visit/census.ts';
import { openGeoip } from '../../../net/geoip.ts';
import { hostsAfter, readHost, setHost } from '../../../storage/hosts/index.ts';
import { currentOutages } from '../../../storage/instance/index.ts';
import { fromNow, hostRow, longAgo, tables } from '../../support/database/index.ts';
import { ownFolder } from '../../support/given.ts';
import { madeUpMmdb } from '../../support/make-mmdb.ts';
import { until } from '../../support/until.ts';
import { withFetching, type HostRow } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;
const folder = ownFolder();

const read = readRegions('eu:us; us:eu', 'us:continent-na', 60_000);
if ('problem' in read) throw new Error(read.problem);
const all: Regions = read;
const nowhere = (): null => null;
/** What a process of these regions knows; it has looked at nothing yet. */
const book = (own: readonly string[], placeOf: RegionBook['placeOf'] = nowhere): RegionBook =>
  new RegionBook(pool, { all, own }, placeOf);
const role = (...own: string[]) => fetching.role({}, { regions: book(own) });
const from = (host: HostRow, name: string, chosen = false) => ({ ...host, region: { name, chosen } });
const setRegion = (host: HostRow, region: string | null) => setHost(pool, host.origin, 0, { region });
const silent = (name: string, seconds: number | null) =>
  tables.region.change(pool, { name }, { seen_at: seconds === null ? longAgo : fromNow(-seconds) });

beforeEach(async () => {
  await tables.region.remove(pool);
  await book(['eu', 'us']).note();
});
let doors: Door[] = [];
afterEach(async () => {
  await Promise.all(doors.splice(0).map((door) => door.close()));
  doors = [];
  await tables.crawl.changeAny(pool, {}, { state: 'cancelled' });
});

describe('a visit', () => {
  it('that names no region is told one, and nothing is asked', async () => {
    const { site, host } = await fetching.site(['/']);
    const result = await role('eu').fetchSlice(host);
    expect(result).toMatchObject({ next: 'elsewhere', region: { name: 'eu' } });
    // Others take over a minute after the last sign of life, which is a moment old.
    expect(result.region?.patienceMs).toBeGreaterThan(50_000);
    expect(await role('eu').probeHost(host)).toMatchObject({ outcome: 'elsewhere', region: { name: 'eu' } });
    expect(site.paths()).toEqual([]);
    expect(await role('eu').fetchSlice(from(host, 'eu'))).toMatchObject({ next: 'idle', fetched: 1 });
    expect(site.paths()).toEqual(['/robots.txt', '/']);
  });

  it('goes where the host was set to while it was on its way; a setting that is taken back sends it home', async () => {
    const { site, host } = await fetching.site(['/']);
    await setRegion(host, 'us');
    expect(await role('eu').fetchSlice(from(host, 'eu'))).toMatchObject({ region: { name: 'us' } });
    await setRegion(host, null);
    expect(await role('us').fetchSlice(from(host, 'us'))).toMatchObject({ region: { name: 'eu' } });
    expect(site.paths()).toEqual([]);
  });

  it('that was just sent is made, so that processes which disagree send nobody around', async () => {
    const { host } = await fetching.site(['/']);
    expect(await role('us').fetchSlice(from(host, 'us', true))).toMatchObject({ next: 'idle', fetched: 1 });
  });

  it('goes to the nearest region once its own is silent for too long, and back when that lives again', async () => {
    const { host } = await fetching.site(['/']);
    await silent('eu', 59);
    const early = await role('us').fetchSlice(host);
    expect(early).toMatchObject({ region: { name: 'eu' } });
    expect(early.region?.patienceMs).toBeLessThan(10_000);
    await silent('eu', 61);
    expect(await role('us').fetchSlice(host)).toMatchObject({ region: { name: 'us' } });
    await book(['eu']).note();
    expect(await role('us').fetchSlice(from(host, 'us'))).toMatchObject({ region: { name: 'eu' } });
  });
});

it('a region that is silent is told as out, and why its host is fetched from another is explained', async () => {
  const { host, crawl } = await fetching.site(['/']);
  expect(await currentOutages(pool)).toEqual([]);
  await silent('eu', 61);
  const outages = await currentOutages(pool);
  expect(outages).toMatchObject([{ dependency: 'region', why: 'no worker of eu has reported since' }]);
  expect(outages.map(outageText).join('\n')).toMatch(
    /^A region is out since .*: the nearest region with workers fetches from its hosts/,
  );
  const explained = await explainUrlOf(pool, String(crawl), `${host.origin}/`, 'test', undefined, all);
  expect(explained?.decisions.filter(({ step }) => step === 'region')).toEqual([
    {
      ...{ step: 'region', verdict: 'eu', effect: 'note' },
      because: 'The host is of region eu by default, fetched from us now, since no worker of eu is at work.',
      detail: { by: 'default', of: null, fetchedFrom: 'us' },
    },
  ]);
  // It waits for nothing of ours.
  expect(explained?.decisions.map(({ verdict }) => verdict)).not.toContain('outage');
});

describe('the door', () => {
  const asked = (hosts: readonly { readonly site: { paths(): string[] } }[]): number[] =>
    hosts.map(({ site }) => site.paths().filter((each) => each === '/robots.txt').length);
  function open(own: string, regions = book([own]), census?: Census): Door {
    const start = (): Promise<void> => Promise.resolve();
    const door = new Door(fetching.dependencies({}, { regions }), start, 20, census);
    doors.push(door);
    return door;
  }
  const isKnown = async ({ hostId }: HostRow): Promise<boolean> =>
    (await hostRow(pool, hostId)).known_at !== null;

  it('asks the hosts of its region, and leaves those of others to theirs', async () => {
    const sites = await Promise.all(Array.from({ length: 4 }, () => fetching.site(['/'])));
    const [ours, theirs] = [sites.slice(0, 2), sites.slice(2)];
    for (const { host } of theirs) await setRegion(host, 'us');
    open('eu');
    await until('ours are known', async () =>
      (await Promise.all(ours.map(({ host }) => isKnown(host)))).every(Boolean),
    );
    const queue = ({ host: { hostId }, crawl }: (typeof sites)[number]) =>
      tables.queue.row(pool, { host_id: hostId, crawl_id: crawl });
    await until('theirs are left to others', async () =>
      (await Promise.all(theirs.map(queue))).every(({ region }) => region === 'us'),
    );
    expect(asked(sites)).toEqual([1, 1, 0, 0]);
    open('us');
    await until('theirs are known', async () =>
      (await Promise.all(theirs.map(({ host }) => isKnown(host)))).every(Boolean),
    );
    expect(asked(sites)).toEqual([1, 1, 1, 1]);
  });

  it('asks those of a region that is silent for too long, those left to it included', async () => {
    const site = await fetching.site(['/']);
    await setRegion(site.host, 'us');
    const { host, crawl } = site;
    await tables.queue.change(pool, { host_id: host.hostId, crawl_id: crawl }, { region: 'us' });
    await silent('us', 61);
    open('eu');
    await until('it is known', () => isKnown(host));
    expect(asked([site])).toEqual([1]);
  });

  it.each([
    ['of an instance without regions', undefined],
    ['of an instance whose settings have another', book(['eu'])],
  ])('asks those that were left to a region which is gone: the door %s', async (_what, regions) => {
    const { host, crawl } = await fetching.site(['/']);
    await tables.queue.change(pool, { host_id: host.hostId, crawl_id: crawl }, { region: 'atlantis' });
    await tables.region.add(pool, { name: 'atlantis', seen_at: fromNow(-3_600) });
    const parts = regions === undefined ? {} : { regions };
    doors.push(new Door(fetching.dependencies({}, parts), () => Promise.resolve(), 20));
    await until('it is known', () => isKnown(host));
  });

  it('asks a host for its robots.txt alone if its address tells that it is of another region', async () => {
    const many = new Census(300_000);
    for (let host = 0; host < 200; host++) many.visited(`met ${String(host)}`);
    const sites = [await fetching.site(['/']), await fetching.site(['/'])] as const;
    const [{ host: away, site: awaySite }, { host: here, site: hereSite }] = sites;
    const file = path.join(folder, 'places.mmdb');
    writeFileSync(
      file,
      madeUpMmdb({ [`${new URL(away.origin).hostname}/32`]: { country: 'US', continent: 'NA' } }),
    );
    open('eu', book(['eu'], openGeoip(file)), many);
    await until('both are known', async () => (await isKnown(away)) && (await isKnown(here)));
    expect(awaySite.paths()).toEqual(['/robots.txt']);
    expect(hereSite.paths()).toEqual(['/robots.txt', '/']);
    expect(await role('eu').fetchSlice(from(away, 'eu'))).toMatchObject({ region: { name: 'us' } });
    const told = { name: 'us', by: 'address', of: 'continent-na', fetchedFrom: 'us' };
    expect((await readHost(pool, away.origin, all))?.body.region).toEqual(told);
    expect((await readHost(pool, away.origin))?.body.region).toBeNull();
    await silent('us', 61);
    const { items } = await hostsAfter(pool, null, null, 1_000, all);
    expect(items.find(({ origin }) => origin === away.origin)?.region).toEqual({
      ...told,
      fetchedFrom: 'eu',
    });
  });
});
