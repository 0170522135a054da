/**
 * The door on real parts: what hosts that do not answer cost, what becomes of them, and that those that do are let in.
 * @module-tag long
 */
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Door, type StartHost } from '../../../engine/door/door.ts';
import { Census } from '../../../engine/visit/census.ts';
import { FetchContext } from '../../../engine/visit/fetch-context.ts';
import type { Dependencies } from '../../../engine/dependencies.ts';
import type { CrawlSettings } from '../../../engine/settings.ts';
import type { Fetcher } from '../../../contracts/fetching.ts';
import {
  changeHost,
  fromNow,
  hostRow,
  noOptOuts,
  optedOut,
  robotsRead,
  tables,
} from '../../support/database/index.ts';
import { leaseUrls } from '../../../storage/frontier/index.ts';
import { readHost, setHost } from '../../../storage/hosts/index.ts';
import { timeOf } from '../../../storage/reports/index.ts';
import { holdShape } from '../../../storage/traps/index.ts';
import { freshAddress, listen } from '../../support/loopback.ts';
import { expectExplained } from '../../support/explained.ts';
import { until } from '../../support/until.ts';
import { expectExact, moveCrawl } from '../storage/frontier.ts';
import { type HostRow, withFetching } from './fetching.ts';
import { gaps, robots, startSite, status, type Answer } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

let doors: Door[] = [];
const silent: Server[] = [];
afterEach(async () => {
  await Promise.all(doors.map((door) => door.close()));
  doors = [];
  for (const server of silent.splice(0)) server.close();
  await tables.crawl.changeAny(pool, {}, { state: 'cancelled' });
});

/** Workflows that were started, by host: why its retries are spent. */
let started: Record<string, string> = {};
const startHost: StartHost = (_id, origin, spent = 'not spent') => {
  started[origin] = spent;
  return Promise.resolve();
};

function open(places = 20, parts: Partial<Dependencies> = {}, settings: Partial<CrawlSettings> = {}): Door {
  started = {};
  const door = new Door(fetching.dependencies(settings, parts), startHost, places);
  doors.push(door);
  return door;
}

interface HostState {
  readonly known: boolean;
  readonly fed: boolean;
  readonly failures: number;
  readonly last_error: string | null;
  readonly wait_ms: number;
  readonly leased: boolean;
}
const stateOf = async ({ hostId }: HostRow): Promise<HostState> => {
  const row = await hostRow(pool, hostId);
  return {
    ...row,
    known: row.known_at !== null,
    leased: row.lease_token !== null,
    wait_ms: row.not_before_ms,
  };
};
const stands = (host: HostRow, what: string, is: (host: HostState) => boolean) =>
  until(what, async () => is(await stateOf(host)));

/** Addresses of loopback where nothing listens, and where connections are taken and never answered. */
const refusing = (): string => `http://${freshAddress()}:9`;
async function tarpit(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  silent.push(server);
  const address = freshAddress();
  return `http://${address}:${String(await listen(server, address))}`;
}
const sleepOver = ({ hostId }: HostRow) => changeHost(pool, hostId, { not_before: fromNow() });

describe('a host that answers', () => {
  it.each<[string, Answer | undefined]>([
    ['a robots.txt', robots('user-agent: *', 'disallow: /x')],
    ['that it has none', undefined],
    ['that it is down', status(503, { 'retry-after': '100' })],
  ])('is asked once, for its robots.txt, and waits to be worked: %s', async (_what, answer) => {
    const { site, host, crawl } = await fetching.site(['/', '/a'], {
      answers: answer === undefined ? {} : { '/robots.txt': answer },
    });
    open();
    await stands(host, 'it is known', ({ known, leased }) => known && !leased);
    expect(site.paths()).toEqual(['/robots.txt']);
    expect(await stateOf(host)).toMatchObject({ fed: false, failures: 0, last_error: null });
    expect(await tables.queue.row(pool, { host_id: host.hostId })).toMatchObject({ reached: true });
    expect(started).toEqual({});
    await expectExact(pool, crawl);
  });

  it.each([429, 503])('and asks by %i for time is not asked before that, by anybody', async (code) => {
    const site = await startSite({ '/robots.txt': status(code, { 'retry-after': '60' }) });
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl(), host, '/');
    open();
    await stands(host, 'it is known', ({ known, leased }) => known && !leased);
    const { wait_ms: waitMs } = await stateOf(host);
    expect(waitMs).toBeGreaterThan(50_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    expect(await fetching.role({ sliceMs: 1_000 }).fetchSlice(host)).toMatchObject({
      fetched: 0,
      next: 'wait',
    });
    expect(site.paths()).toEqual(['/robots.txt']);
  });

  it('is not asked for anything if a quarantine keeps back all that waits there', async () => {
    const [site, other] = [await startSite(), await startSite()];
    const [host, free] = [await fetching.host(site.origin), await fetching.host(other.origin)];
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, host, '/c/1', '/c/2');
    await fetching.queue(crawl, free, '/c/1', '/about');
    for (const { hostId } of [host, free])
      await holdShape(pool, String(crawl), hostId, '/c/{n}', 'key 1', 3_600);
    open();
    await stands(free, 'the other one is known', ({ known, leased }) => known && !leased);
    const held = async () =>
      (await tables.url.rows(pool, { crawl_id: crawl })).filter(({ reason }) => reason === 'trap');
    await until('its URLs are excluded', async () => (await held()).length === 3);
    expect([site.paths(), other.paths()]).toEqual([[], ['/robots.txt']]);
    // The door may be about to see that nothing is left there.
    await stands(host, 'nobody is with it', ({ leased }) => !leased);
    expect(await stateOf(host)).toMatchObject({ known: false, failures: 0 });
    await expectExact(pool, crawl);
  });

  it('is owed the delay of a slow crawl after its robots.txt too', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await setHost(pool, site.origin, 0, { delaySeconds: 0 });
    const crawl = await fetching.crawl({ delaySeconds: 3_000 });
    await fetching.queue(crawl, host, '/');
    open();
    await stands(host, 'it is known', ({ known, leased }) => known && !leased);
    expect(await fetching.role({ sliceMs: 1_000 }).fetchSlice(host)).toMatchObject({ fetched: 0 });
    expect(site.paths()).toEqual(['/robots.txt']);
    const turn = await tables.queue.row(pool, { host_id: host.hostId });
    expect(turn.own_turn_at_ms).toBeGreaterThan(2_900_000);
  });

  it('is not asked again where its robots.txt is known', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await robotsRead(pool, host.hostId);
    await fetching.queue(await fetching.crawl(), host, '/');
    open();
    await stands(host, 'it is known', ({ known }) => known);
    expect(site.hits).toHaveLength(0);
  });
});

describe('a host that is silent', () => {
  it('is shown as asked, and its time as that of its robots.txt', async () => {
    const { host, crawl } = await fetching.queued(await tarpit(), ['/']);
    open();
    const state = async () => (await readHost(pool, host.origin))?.body.state;
    await until('it is asked', async () => (await state()) === 'asking');
    const time = async () => {
      const now = await timeOf(pool, String(crawl), new Date());
      if (now !== null) expectExplained(now);
      return now;
    };
    expect((await time())?.hosts.items).toMatchObject([{ origin: host.origin, cause: 'robots_txt' }]);
    await stands(host, 'it did not answer', ({ failures, leased }) => failures === 1 && !leased);
    expect(await state()).toBe('backoff');
    const [first] = (await time())?.causes ?? [];
    expect(first).toMatchObject({ cause: 'robots_txt', blame: 'host' });
    expect(first?.seconds).toBeGreaterThan(7);
    // It is counted, and no guess from the row of the host.
    const [account] = await tables.time.rows(pool, { crawl_id: crawl });
    expect(account?.robots_txt).toBeGreaterThan(7);
  });
});

describe('a host that refuses', () => {
  it('is asked again after its backoff, holds nothing meanwhile, and parks by a workflow when its retries are spent', async () => {
    const { host, crawl } = await fetching.queued(refusing(), ['/wanted', '/other']);
    // The host is asked as often as it was looked at: on a busy machine its backoff is over before it is seen.
    const { fetcher } = fetching.dependencies();
    const looked = Array.from({ length: 5 }, () => Promise.withResolvers<undefined>());
    let asked = 0;
    const inStep: Fetcher = {
      ...fetcher,
      fetch: async (request) => {
        await looked[asked++]?.promise;
        return fetcher.fetch(request);
      },
    };
    const now = async (): Promise<number> => Number((await hostRow(pool, host.hostId)).read_at);
    let letGo = await now();
    looked[0]?.resolve(undefined);
    open(20, { fetcher: inStep });
    for (let failures = 1; failures <= 5; failures++) {
      await stands(host, `failure ${String(failures)}`, (at) => at.failures === failures);
      const at = await stateOf(host);
      expect(at).toMatchObject({ known: false, fed: failures === 5 && at.fed });
      expect(at.last_error).toMatch(/^connect-refused: /);
      expect(at.wait_ms).toBeLessThanOrEqual(2_000 * 2 ** (failures - 1));
      const { not_before: notBefore } = await hostRow(pool, host.hostId);
      expect(Number(notBefore) - letGo).toBeGreaterThan(1_990 * 2 ** (failures - 1));
      if (failures === 5) break;
      await until('it is noted', async () => (await attempts()) === failures);
      letGo = await now();
      looked[failures]?.resolve(undefined);
      await sleepOver(host);
      await tables.queue.change(pool, { host_id: host.hostId }, { turn_at: fromNow() });
    }
    await until('its workflow is started', () => started[host.origin] !== undefined);
    expect(started[host.origin]).toMatch(/^connect-refused: /);
    expect(await stateOf(host)).toMatchObject({ fed: true, known: false });
    const urls = await fetching.urls(crawl, host.origin);
    expect(urls['/wanted']).toMatchObject({ state: 'queued', reason: 'connect-refused', attempts: 5 });
    expect(urls['/other']).toMatchObject({ state: 'queued', reason: null, attempts: 0 });
    await expectExact(pool, crawl);

    async function attempts(): Promise<number> {
      return (await fetching.urls(crawl, host.origin))['/wanted']?.attempts ?? 0;
    }
  });
});

describe('a crawl whose hosts never answer', () => {
  it('leaves places to one that comes late, and its hosts are asked beside each other', async () => {
    const stuck = await fetching.crawl();
    const pits: HostRow[] = [];
    for (let at = 0; at < 12; at++) pits.push(await fetching.host(await tarpit()));
    for (const pit of pits) await fetching.queue(stuck, pit, '/');
    open(8, {}, { requestTimeoutMs: 5_000 });
    const asked = async (): Promise<number> =>
      (await Promise.all(pits.map(stateOf))).filter(({ leased }) => leased).length;
    await until('three quarters of the places are taken', async () => (await asked()) === 6);
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await fetching.queue(await fetching.crawl(), host, '/');
    await stands(host, 'it is known', ({ known }) => known);
    expect(await asked()).toBeLessThanOrEqual(6);
  });
});

describe('nothing is asked', () => {
  it.each([
    ['for a crawl that is paused', (crawl: number) => moveCrawl(pool, crawl, 'paused')],
    ['of a host that has opted out, not even its address', () => optedOut(pool, 'gone.example')],
  ])('%s', async (_what, put) => {
    const names: string[] = [];
    const site = await startSite();
    const gone = await fetching.host('http://www.gone.example');
    const here = await fetching.host(site.origin);
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, gone, '/');
    await put(crawl);
    const other = await fetching.crawl();
    await fetching.queue(other, here, '/');
    const { fetcher } = fetching.dependencies();
    const watched: Fetcher = {
      ...fetcher,
      fetch: (request) => {
        names.push(new URL(request.url).hostname);
        return fetcher.fetch(request);
      },
    };
    open(20, { fetcher: watched });
    await stands(here, 'the other is known', ({ known }) => known);
    expect(names).toEqual([new URL(site.origin).hostname]);
    expect(await stateOf(gone)).toMatchObject({ leased: false, failures: 0, fed: false });
    await noOptOuts(pool);
  });
});

describe('where many hosts are met', () => {
  const crowded = (): Door => {
    started = {};
    const census = new Census(3_600_000);
    for (let at = 0; at < 200; at++) census.visited(`other ${String(at)}`);
    const door = new Door(fetching.dependencies(), startHost, 20, census);
    doors.push(door);
    return door;
  };
  const done = (host: HostRow) => stands(host, 'it is known', ({ known, leased }) => known && !leased);

  it('a host of few pages is crawled at the door, at its pace, and gets no workflow', async () => {
    const { site, host, crawl } = await fetching.site(['/', '/a', '/no'], {
      answers: {
        '/robots.txt': robots('user-agent: *', 'crawl-delay: 1', 'disallow: /no'),
      },
    });
    crowded();
    await done(host);
    expect(site.paths()).toEqual(['/robots.txt', '/', '/a']);
    expect(Math.min(...gaps(site))).toBeGreaterThanOrEqual(1_000);
    const urls = await fetching.urls(crawl, site.origin);
    expect(urls['/a']).toMatchObject({ state: 'done' });
    expect(urls['/no']).toMatchObject({ state: 'excluded', reason: 'robots' });
    expect(started).toEqual({});
    expect(await stateOf(host)).toMatchObject({ fed: false });
    await expectExact(pool, crawl);
  });

  it('a host of many pages, or a slow one, is left to its workflow, with all its URLs', async () => {
    const [large, slow] = [
      await startSite(),
      await startSite({ '/robots.txt': robots('user-agent: *', 'crawl-delay: 5') }),
    ];
    const hosts = [await fetching.host(large.origin), await fetching.host(slow.origin)] as const;
    const crawl = await fetching.crawl();
    await fetching.queue(crawl, hosts[0], ...Array.from({ length: 1_000 }, (_, at) => `/${String(at)}`));
    await fetching.queue(crawl, hosts[1], '/');
    crowded();
    for (const host of hosts) await done(host);
    expect([large.paths(), slow.paths()]).toEqual([['/robots.txt'], ['/robots.txt']]);
    await expectExact(pool, crawl);
  });

  it('a host that is slow by the delay of its crawl is left to its workflow', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await setHost(pool, site.origin, 0, { delaySeconds: 0 });
    await fetching.queue(await fetching.crawl({ delaySeconds: 5 }), host, '/');
    crowded();
    await done(host);
    expect(site.paths()).toEqual(['/robots.txt']);
  });

  it('a crawl that has asked the host before is owed its delay', async () => {
    const site = await startSite();
    const host = await fetching.host(site.origin);
    await setHost(pool, site.origin, 0, { delaySeconds: 0 });
    const crawl = await fetching.crawl({ delaySeconds: 2 });
    await fetching.queue(crawl, host, '/');
    // As a process leaves it that dies after it has returned the lease, and before the host is known.
    await robotsRead(pool, host.hostId);
    const askedAt = Date.now();
    await tables.queue.change(pool, { host_id: host.hostId }, { asked_at: fromNow() });
    crowded();
    await until('it is asked', () => site.paths().length === 1);
    expect(Date.now() - askedAt).toBeGreaterThanOrEqual(2_000);
    await done(host);
  });

  it('a host with dead letters gets a workflow, where people find them', async () => {
    const { site, host, crawl } = await fetching.site(['/', '/gone'], { answers: { '/gone': status(403) } });
    crowded();
    await until('its workflow is started', () => started[host.origin] !== undefined);
    expect(started[host.origin]).toBe('not spent');
    expect(await stateOf(host)).toMatchObject({ fed: false, known: true, leased: false });
    expect((await fetching.urls(crawl, site.origin))['/gone']).toMatchObject({ state: 'failed' });
  });

  it('what a killed process had in hand is taken up again', async () => {
    const { site, host, crawl } = await fetching.site(['/', '/a']);
    await robotsRead(pool, host.hostId);
    const context = new FetchContext(fetching.dependencies({ leaseMs: 300 }));
    const lease = await context.keeper.take(host.hostId, 0, new AbortController().signal);
    if (lease === null) throw new Error('the host is not free');
    await leaseUrls(
      pool,
      host.hostId,
      lease.taken.token,
      1,
      JSON.stringify([{ crawl_id: crawl, pages: null, weight: 1 }]),
    );
    lease.end();
    crowded();
    await done(host);
    expect(site.paths().sort()).toEqual(['/', '/a']);
    await expectExact(pool, crawl);
  });
});
