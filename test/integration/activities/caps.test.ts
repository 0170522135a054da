/** Visits keep the caps on addresses and domains (F05): all of them, whoever sends. */
import pino from 'pino';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { noCaps, CapBook, type CapDefaults } from '../../../engine/caps/cap-book.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { lend } from '../../../engine/lending/lend.ts';
import { LendingContext } from '../../../engine/lending/context.ts';
import type { Fetcher } from '../../../contracts/fetching.ts';
import { createFetcher } from '../../../net/fetcher.ts';
import { clearCap, setCap } from '../../../storage/caps/index.ts';
import { hostRow, tables } from '../../support/database/index.ts';
import { mostTogether, mostWithin } from '../../web/crowd.ts';
import { expectExact } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { page, slowly, startSite, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;
afterEach(async () => {
  await clearCap(pool, 'shop.test');
});

const capped = (rate: number): CapDefaults => ({
  address: { rate, inFlight: null },
  domain: null,
  ofPrivate: true,
});

interface Visited {
  readonly sites: readonly Site[];
  readonly hosts: readonly HostRow[];
  readonly crawl: number;
}

/** Hosts at one address, each with these pages; every answer takes a while. */
async function visited(count: number, address: string, ...paths: string[]): Promise<Visited> {
  const crawl = await fetching.crawl();
  const sites = await Promise.all(
    Array.from({ length: count }, () =>
      startSite(Object.fromEntries(paths.map((path) => [path, slowly(40, page(path))])), address),
    ),
  );
  const hosts = await Promise.all(sites.map(({ origin }) => fetching.host(origin)));
  for (const host of hosts) await fetching.queue(crawl, host, ...paths);
  return { sites, hosts, crawl };
}

const requests = (sites: readonly Site[]): { start: number; end: number | null }[] =>
  sites.flatMap(({ hits }) => hits.map(({ at, endedAt }) => ({ start: at, end: endedAt })));

describe('hosts at one address', () => {
  it('are sent no more together than the cap says, by all workers, and are all crawled', async () => {
    const { sites, hosts, crawl } = await visited(6, '127.0.0.1', '/a', '/b');
    const roles = [fetching.role({ caps: capped(5) }), fetching.role({ caps: capped(5) })];
    const visits = async (host: HostRow, at: number): Promise<void> => {
      while ((await roles[at % 2]?.fetchSlice(host))?.next !== 'idle');
    };
    await Promise.all(hosts.map(visits));
    const sent = requests(sites);
    expect(sent).toHaveLength(6 * 3);
    expect(mostWithin(sent, 1_000)).toBeLessThanOrEqual(5);
    expect(mostTogether(sent)).toBeLessThanOrEqual(5);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 12, leased: 0 });
    for (const { hostId } of hosts) expect(await hostRow(pool, hostId)).toMatchObject({ failures: 0 });
  });

  it('have no cap by default if the address is private', async () => {
    const { hosts, crawl } = await visited(2, '127.0.0.2', '/a');
    const groups = await tables.permitGroup.count(pool);
    const role = fetching.role({ caps: { ...capped(1), ofPrivate: false } });
    await Promise.all(hosts.map((host) => role.fetchSlice(host)));
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 2 });
    expect(await tables.permitGroup.count(pool)).toBe(groups);
  });

  it('that must wait for long are left alone for the time, and are not failing; explain names the cap', async () => {
    const { hosts, crawl, sites } = await visited(1, '127.0.0.3', '/a');
    const [host] = hosts;
    if (host === undefined) throw new Error('no host');
    const caps = capped(0.01);
    const end = await fetching.role({ caps, sliceMs: 5_000 }).fetchSlice(host);
    expect(end).toMatchObject({ next: 'wait', fetched: 0, lastError: null });
    expect(end.waitMs).toBeGreaterThan(60_000);
    expect(sites[0]?.paths()).toEqual(['/robots.txt']);
    expect(await hostRow(pool, host.hostId)).toMatchObject({ failures: 0 });
    expect(await expectExact(pool, crawl)).toMatchObject({ queued: 1, leased: 0 });

    const explain = async (): Promise<string[]> => {
      const book = new CapBook(pool, caps);
      const told = await explainUrlOf(pool, String(crawl), `${host.origin}/a`, 'Orbweaver/0.0', book);
      return (told?.decisions ?? []).flatMap(({ verdict, because }) =>
        verdict === 'address-cap' ? because : [],
      );
    };
    await expect
      .poll(explain)
      .toEqual([
        'The host waits for its address 127.0.0.3: a cap of one request every 100 s, 1 in flight, was reached by other hosts there.',
      ]);
  });
});

describe('hosts of one domain', () => {
  it('keep the cap that an operator sets for it, with each other and at once', async () => {
    const resolver = { resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 as const }]) };
    const fetcher = createFetcher({ resolver });
    onTestFinished(() => fetcher.close());
    const crawl = await fetching.crawl();
    const sites = await Promise.all([1, 2, 3].map(() => startSite({}, '127.0.0.1')));
    const hosts = await Promise.all(
      sites.map(({ origin }, at) =>
        fetching.host(origin.replace('127.0.0.1', `${['a', 'b', 'c'][at] ?? ''}.shop.test`)),
      ),
    );
    for (const host of hosts) await fetching.queue(crawl, host, '/a', '/b');
    await setCap(pool, 'shop.test', 4, 1);
    const role = fetching.role({ caps: noCaps }, { fetcher });
    const visits = async (host: HostRow): Promise<void> => {
      while ((await role.fetchSlice(host)).next !== 'idle');
    };
    await Promise.all(hosts.map(visits));
    const sent = requests(sites);
    expect(sent).toHaveLength(9);
    expect(mostTogether(sent)).toBe(1);
    expect(mostWithin(sent, 1_000)).toBeLessThanOrEqual(4);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 6 });
  });
});

it('a connection that leads to another address than was foreseen sends by a permit for that one', async () => {
  const { hosts, sites, crawl } = await visited(1, '127.0.0.4', '/a');
  const [host] = hosts;
  if (host === undefined) throw new Error('no host');
  const real = createFetcher();
  onTestFinished(() => real.close());
  const mistaken: Fetcher = { ...real, addressOf: () => Promise.resolve('127.0.0.99') };
  await fetching.role({ caps: capped(2) }, { fetcher: mistaken }).fetchSlice(host);
  expect(sites[0]?.paths()).toEqual(['/robots.txt', '/a']);
  expect(await expectExact(pool, crawl)).toMatchObject({ done: 1 });
  expect(await tables.permitGroup.count(pool, { name: '127.0.0.4' })).toBe(1);
});

it('a name that leads to another address with each connection is crawled, by permits for the one that it led to', async () => {
  const site = await startSite({}, '0.0.0.0');
  let asked = 0;
  const elsewhere = () => [{ address: `127.0.1.${String(++asked)}`, family: 4 as const }];
  const turning = createFetcher({ resolver: { resolve: () => Promise.resolve(elsewhere()) } });
  onTestFinished(() => turning.close());
  // Each is foretold wrongly, as if the name had turned while the request waited for its permit.
  const mistaken: Fetcher = { ...turning, addressOf: () => Promise.resolve('127.0.0.99') };
  const { host, crawl } = await fetching.queued(site.origin.replace('0.0.0.0', 'turning.test'), ['/a', '/b']);
  await fetching.role({ caps: capped(5) }, { fetcher: mistaken }).fetchSlice(host);
  expect(site.paths()).toEqual(['/robots.txt', '/a', '/b']);
  expect(await expectExact(pool, crawl)).toMatchObject({ done: 2 });
});

it('a foreign fetcher borrows no more hosts of an address than its cap has permits', async () => {
  const { hosts, crawl } = await visited(3, '127.0.0.5', '/a');
  await Promise.all(hosts.map((host) => fetching.role().fetchSlice(host)));
  for (const host of hosts) await fetching.queue(crawl, host, '/b');
  const lending = (caps: CapDefaults): LendingContext =>
    new LendingContext({
      ...{ pool, log: pino({ level: 'silent' }), userAgent: 'Orbweaver/0.0', shards: 1 },
      ...{ wakeHost: () => Promise.resolve(), caps },
    });
  const wanted = {
    ...{ tenantId: 1, shards: [0], crawlId: String(crawl), fetcherId: 'test' },
    ...{ batchSize: 10, toldMs: 22_500 },
  };
  await setCap(pool, '127.0.0.5', 1, null);
  try {
    const context = lending(noCaps);
    const loans: number[] = [];
    // What was sent before rests first.
    await expect
      .poll(async () => {
        const loan = await lend(context, wanted);
        loans.push(loan?.urls.length ?? 0);
        return loan;
      })
      .not.toBeNull();
    expect(loans.at(-1)).toBe(1);
    expect(await lend(context, wanted)).toBeNull();
  } finally {
    await clearCap(pool, '127.0.0.5');
  }
});
