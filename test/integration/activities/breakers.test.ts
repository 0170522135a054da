/** Slices behind breakers: what is returned, who is blamed, what is sent while something of ours is down (F07). */
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watch, type Probes, type Watched } from '../../../engine/breakers/breakers.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import { failureTypes } from '../../../contracts/failures.ts';
import { egressProxy } from '../../../net/egress-proxy.ts';
import { createFetcher } from '../../../net/fetcher.ts';
import { ResolverFault, type Resolver } from '../../../net/resolver.ts';
import type { BodyStore } from '../../../storage/archive/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import type { Pool } from '../../../storage/postgres/index.ts';
import { startFlakyPool } from '../storage/flaky-pool.ts';
import { expectExact } from '../storage/frontier.ts';
import { proxies } from '../../support/egress-proxies.ts';
import { askDatabase, hostRow, leaseEnded, robotsRead, tables } from '../../support/database/index.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { closedEndpoint } from '../../support/loopback.ts';
import { page, startSite, type Answer, type Site } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

interface Disk {
  full: boolean;
}

interface Parts {
  readonly pool?: Pool;
  readonly resolver?: Resolver;
  readonly probes?: Partial<Probes>;
  readonly proxy?: string;
}

/** What a worker process has: everything behind breakers; the disk is full when told so. */
function worker({ pool = fetching.pool, resolver, probes, proxy }: Parts = {}): {
  readonly parts: Partial<Dependencies>;
  readonly disk: Disk;
  readonly watched: Watched;
} {
  const disk: Disk = { full: false };
  const refusal = (): Promise<void> => (disk.full ? Promise.reject(full) : Promise.resolve());
  const store: BodyStore = {
    put: async (capture) => {
      await refusal();
      return fetching.blobs.put(capture);
    },
    get: (hash) => fetching.blobs.get(hash),
  };
  const watched = watch(
    {
      pool,
      fetcher: (names) => createFetcher({ resolver: names }),
      ...(proxy !== undefined && { proxy: egressProxy(proxy) }),
      resolver: resolver ?? { resolve: (name) => Promise.reject(new Error(`${name} is not asked for`)) },
    },
    {
      postgres: () => askDatabase(pool),
      blobs: refusal,
      dns: () => Promise.resolve(true),
      room: () => Promise.resolve(1e9),
      ...probes,
    },
    pino({ level: 'silent' }),
  );
  onTestFinished(async () => {
    watched.stop();
    await watched.fetcher.close();
  });
  const { fetcher, outage } = watched;
  const parts = {
    pool: watched.pool,
    writer: new FrontierWriter(watched.pool),
    blobs: watched.blobs(store),
    fetcher,
    outage,
  };
  return { parts, disk, watched };
}

interface Visited {
  readonly site: Site;
  readonly host: HostRow;
  readonly crawl: number;
}
const hosted = async (
  answers: Readonly<Record<string, Answer>>,
  delaySeconds: number,
  ...paths: readonly string[]
): Promise<Visited> => {
  const { site, host, crawl } = await fetching.site(paths, { answers, config: { delaySeconds } });
  return { site, host, crawl };
};
/** With the time until it may be asked, by its own pace and by that of its crawls. */
const stateOf = async ({ hostId }: HostRow) => {
  const [host, turns] = [await hostRow(pool, hostId), await tables.queue.rows(pool, { host_id: hostId })]; // prettier-ignore
  return { ...host, wait_ms: Math.max(host.not_before_ms, ...turns.map((turn) => turn.own_turn_at_ms)) };
};
const untouched = { state: 'queued', attempts: 0, tries: 0, reclaims: 0, lease_token: null };

describe('a body that our disk does not take', () => {
  it('sends its URL back untried, blames nobody, and keeps the delay of the request that was sent', async () => {
    const { site, host, crawl } = await hosted({}, 1.5, '/a', '/b');
    await robotsRead(pool, host.hostId);
    const { parts, disk } = worker();
    disk.full = true;
    await expect(fetching.role({}, parts).fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.infrastructure,
      nonRetryable: false,
    });
    expect(site.paths()).toEqual(['/a']);
    const { '/a': first, '/b': second } = await fetching.urls(crawl, site.origin);
    expect(first).toMatchObject(untouched);
    expect(second).toMatchObject(untouched);
    const row = await stateOf(host);
    expect(row).toMatchObject({ lease_token: null, failures: 0, last_error: null, slowdown: 0 });
    const sinceIt = performance.now() - (site.hits.at(-1)?.at ?? NaN);
    expect(row.wait_ms + sinceIt).toBeGreaterThan(1_490);
    await expectExact(pool, crawl);
  });

  it('stops the fetching of all hosts, until it is taken again', async () => {
    const [one, other] = [await hosted({}, 0, '/a'), await hosted({}, 0, '/b')];
    const { parts, disk, watched } = worker();
    const role = fetching.role({}, parts);
    disk.full = true;
    await role.fetchSlice(one.host).catch(() => undefined);
    for (const { host } of [one, other]) {
      await expect(role.fetchSlice(host)).rejects.toMatchObject({
        type: failureTypes.infrastructure,
        message: expect.stringMatching(/^the blob store is down since \d{4}-.*ENOSPC/) as string,
      });
    }
    // What the host answers to the request for its robots.txt is kept as well.
    expect(one.site.paths()).toEqual(['/robots.txt']);
    expect(other.site.paths()).toEqual([]);
    disk.full = false;
    await expect.poll(() => watched.outage()).toBeNull();
    for (const { site, host, crawl } of [one, other]) {
      await role.fetchSlice(host);
      expect(site.paths()).toContain('/robots.txt');
      expect(await expectExact(pool, crawl)).toMatchObject({ done: 1, queued: 0, leased: 0 });
    }
  });

  it('since it is full, as a process that comes anew can see, costs no answer', async () => {
    const { site, host, crawl } = await hosted({}, 0, '/a');
    const disk = { free: 1_000 };
    const { parts, watched } = worker({ probes: { room: () => Promise.resolve(disk.free) } });
    const role = fetching.role({}, parts);
    await expect(role.fetchSlice(host)).rejects.toMatchObject({ type: failureTypes.infrastructure });
    expect(site.paths()).toEqual([]);
    expect((await fetching.urls(crawl, site.origin))['/a']).toMatchObject(untouched);
    expect(await stateOf(host)).toMatchObject({ lease_token: null, failures: 0, last_error: null });
    disk.free = 1e9;
    await expect.poll(() => watched.outage()).toBeNull();
    await role.fetchSlice(host);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 1, queued: 0, leased: 0 });
  });

  it('of another host ends a slice before its next request', async () => {
    // So long that the other host is at its body before the next one is due, however busy the machine is.
    const slow = await hosted({}, 8, '/0', '/1', '/2', '/3');
    await robotsRead(pool, slow.host.hostId);
    const other = await hosted({}, 0, '/x');
    const { parts, disk } = worker();
    const role = fetching.role({}, parts);
    const running = role.fetchSlice(slow.host);
    running.catch(() => undefined);
    // It now waits out the delay before the next one.
    await expect
      .poll(async () => (await fetching.urls(slow.crawl, slow.site.origin))['/0'])
      .toMatchObject({ state: 'done' });
    disk.full = true;
    await role.fetchSlice(other.host).catch(() => undefined);
    await expect(running).rejects.toMatchObject({ type: failureTypes.infrastructure });
    expect(slow.site.paths()).toEqual(['/0']);
    expect(await expectExact(pool, slow.crawl)).toMatchObject({ done: 1, queued: 3, leased: 0 });
    expect((await fetching.urls(slow.crawl, slow.site.origin))['/1']).toMatchObject(untouched);
  });
});

describe('Postgres away at the end of a slice', () => {
  it('is waited for: nothing stays leased, and no URL is taken for one that crashes workers', async () => {
    const flaky = startFlakyPool(pool);
    const down: Answer = (response, request, count) => {
      flaky.down = count === 1;
      page('here')(response, request, count);
    };
    const { site, host, crawl } = await hosted({ '/b': down }, 0.1, '/a', '/b', '/c');
    const { parts, watched } = worker({ pool: flaky.pool });
    const leaseMs = 60_000;
    const running = fetching.role({ leaseMs }, parts).fetchSlice(host);
    const failed = expect(running).rejects.toMatchObject({ type: failureTypes.infrastructure });
    await expect.poll(() => watched.outage()?.message).toMatch(/^Postgres is down/);
    // The lease runs out meanwhile, by every clock.
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + leaseMs);
    onTestFinished(() => {
      clock.mockRestore();
    });
    await leaseEnded(pool, host.hostId);
    expect((await fetching.urls(crawl, site.origin))['/c']).toMatchObject({ state: 'leased' });
    flaky.down = false;
    await failed;
    const { '/a': first, '/b': second, '/c': third } = await fetching.urls(crawl, site.origin);
    expect(first).toMatchObject({ state: 'done' });
    expect(second).toMatchObject(untouched);
    expect(third).toMatchObject(untouched);
    expect(await stateOf(host)).toMatchObject({ lease_token: null, failures: 0 });
    await fetching.role({}, parts).fetchSlice(host);
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b', '/b', '/c']);
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 3 });
  });

  it('is not waited for by a worker that leaves', async () => {
    const flaky = startFlakyPool(pool);
    const { host } = await hosted(
      {
        '/a': (response, request, count) => {
          flaky.down = true;
          page('here')(response, request, count);
        },
      },
      0,
      '/a',
    );
    const { parts, watched } = worker({ pool: flaky.pool });
    const leaving = new AbortController();
    const running = fetching.role({}, parts).fetchSlice(host, leaving.signal);
    const failed = expect(running).rejects.toMatchObject({ type: failureTypes.infrastructure });
    await expect.poll(() => watched.outage()).not.toBeNull();
    leaving.abort();
    await failed;
    expect(await stateOf(host)).not.toMatchObject({ lease_token: null });
  });
});

describe('a result that could not be written', () => {
  it('keeps the host’s Retry-After all the same', async () => {
    const flaky = startFlakyPool(pool);
    const { site, host } = await hosted(
      {
        '/a': (response) => {
          response.writeHead(503, { 'retry-after': '600' });
          response.end();
          // The row is written; giving back what is left is not, the first time.
          flaky.broken.add('return-urls');
          setTimeout(() => flaky.broken.clear(), 900);
        },
      },
      0,
      '/a',
      '/b',
    );
    const { parts } = worker({ pool: flaky.pool });
    await fetching
      .role({}, parts)
      .fetchSlice(host)
      .catch(() => undefined);
    const row = await stateOf(host);
    expect(row).toMatchObject({ lease_token: null, failures: 1 });
    const sinceIt = performance.now() - (site.hits.at(-1)?.at ?? NaN);
    expect(row.wait_ms + sinceIt).toBeGreaterThan(590_000);
  });
});

describe('DNS that is silent', () => {
  it('blames no host, stops none whose address is known, and goes on by itself', async () => {
    const site = await startSite();
    const { hostname: address, port } = new URL(site.origin);
    let silent = true;
    const resolver: Resolver = {
      resolve: (name) =>
        silent
          ? Promise.reject(new ResolverFault(name, 'ETIMEOUT', true))
          : Promise.resolve([{ address, family: 4 }]),
    };
    const { parts } = worker({ resolver, probes: { dns: () => Promise.resolve(!silent) } });
    const role = fetching.role({}, parts);
    const named = await fetching.host(`http://site-${port}.example:${port}`);
    const literal = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, named, '/named');
    await fetching.queue(crawl, literal, '/literal');
    await expect(role.fetchSlice(named)).rejects.toMatchObject({
      type: failureTypes.infrastructure,
      message: expect.stringMatching(/^DNS is down since/) as string,
    });
    expect(await stateOf(named)).toMatchObject({ failures: 0, last_error: null, lease_token: null });
    expect(await role.fetchSlice(literal)).toMatchObject({ fetched: 1 });
    expect(site.hits.map(({ path }) => path)).toEqual(['/robots.txt', '/literal']);
    silent = false;
    await expect.poll(() => role.fetchSlice(named).catch(() => null)).toMatchObject({ fetched: 1 });
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 2 });
  });
});

describe('the egress proxy of a worker', () => {
  it('takes all its requests; while it is down no host is asked or blamed, and others go on with it', async () => {
    const proxy = await proxies.SOCKS5();
    const { site, host, crawl } = await hosted({}, 0, '/a', '/b');
    const wrong = fetching.role({}, worker({ proxy: proxy.url.replace('pr0xy', 'wr0ng') }).parts);
    await expect(wrong.fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.infrastructure,
      message: expect.stringMatching(/^the proxy of the worker is down since .*refused the name/) as string,
    });
    const closed = new URL((await closedEndpoint()).origin).host;
    const dead = worker({ proxy: `http://me:pr0xy-pass@${closed}` });
    await expect(fetching.role({}, dead.parts).fetchSlice(host)).rejects.toMatchObject({
      type: failureTypes.infrastructure,
    });
    expect(dead.watched.outages()).toMatchObject([{ dependency: 'proxy' }]);
    expect(JSON.stringify(dead.watched.outages())).not.toMatch(/pass|:\/\/127.*asked/);
    expect(site.hits).toHaveLength(0);
    expect(await stateOf(host)).toMatchObject({ failures: 0, last_error: null, lease_token: null });
    const role = fetching.role({}, worker({ proxy: proxy.url }).parts);
    expect(await role.fetchSlice(host)).toMatchObject({ fetched: 2 });
    expect(site.paths()).toEqual(['/robots.txt', '/a', '/b']);
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(site.origin).host]));
    expect(await expectExact(pool, crawl)).toMatchObject({ done: 2 });
  });

  it('that refuses one target says that of this host alone', async () => {
    const proxy = await proxies['HTTP CONNECT']();
    const [refused, other] = [await hosted({}, 0, '/a'), await hosted({}, 0, '/a')];
    const by = worker({ proxy: proxy.url });
    const role = fetching.role({}, by.parts);
    proxy.refuseBy(403);
    await role.fetchSlice(refused.host);
    expect(by.watched.outages()).toEqual([]);
    expect(await stateOf(refused.host)).toMatchObject({ failures: 1, lease_token: null });
    expect((await stateOf(refused.host)).last_error).toContain('answered 403');
    proxy.refuseBy(0);
    expect(await role.fetchSlice(other.host)).toMatchObject({ fetched: 1 });
  });
});
