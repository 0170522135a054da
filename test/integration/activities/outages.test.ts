/**
 * What our own side breaks in the middle of a crawl, with real worker processes: Postgres, Temporal and disks go away
 * and come back. The crawl ends by itself, no URL is failed, and the web's own log shows no hurry (F07, F44).
 *
 * @module-tag long
 */
import { rmSync, statSync } from 'node:fs';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { currentOutages } from '../../../storage/instance/index.ts';
import { auditCrawl, timeOf } from '../../../storage/reports/index.ts';
import { openDesk, type CrawlDesk } from '../../support/crawling.ts';
import { lettersOf, tables } from '../../support/database/index.ts';
import { makeSmallDisk, mayMount } from '../../support/small-disk.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';
import { makeBlobDir, startWorker, type WorkerProcess } from '../../support/worker.ts';
import { createWorld, type World } from '../../support/world.ts';
import { until } from '../../support/until.ts';
import { expectedOf } from '../../web/expected.ts';
import { judge } from '../../web/judge.ts';
import { startWeb, type Web } from '../../web/server.ts';

const delaySeconds = 0.2;
const leaseSeconds = 4;
const sliceSeconds = 2;
const hosts = 4;

let world: World;
let desk: CrawlDesk;
let web: Web;
const cleanUps: (() => void | Promise<void>)[] = [];

beforeEach(async () => {
  world = await createWorld();
  desk = await openDesk(world);
  web = await startWeb({ seed: 31, hosts, pages: 18, latencyMs: 10 });
});
afterEach(async () => {
  await web.stop();
  await desk.close();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await world.close();
});

const proxyFor = async (url: URL): Promise<TcpProxy> => {
  const proxy = await startTcpProxy(Number(url.port));
  cleanUps.push(() => proxy.close());
  return proxy;
};
const ownBlobs = (): string => {
  const folder = makeBlobDir();
  cleanUps.push(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};
const work = async (over: Partial<World>, blobDir = ownBlobs()): Promise<WorkerProcess> => {
  const worker = await startWorker({ ...world, ...over }, { blobDir, leaseSeconds, sliceSeconds });
  cleanUps.push(() => worker.kill());
  return worker;
};

const requests = (): number => web.log().length;
const untilRequests = (count: number) => until(`${String(count)} requests`, () => requests() >= count);
const says = (worker: WorkerProcess, breaker: 'open' | 'closed', dependency: string): boolean =>
  worker.log.some((line) => line.includes(`"breaker":"${breaker}"`) && line.includes(dependency));
/** Requests that were sent in the next while. */
const requestsIn = async (ms: number): Promise<number> => {
  const before = requests();
  await new Promise((wake) => setTimeout(wake, ms));
  return requests() - before;
};
const leasedUrls = (crawl: string) => tables.url.count(desk.pool, { crawl_id: crawl, state: 'leased' });

async function expectWhole(id: string, repeats: number): Promise<void> {
  expect(await desk.ended(id)).toMatchObject({ state: 'finished', reason: 'complete' });
  const verdict = judge(web.log(), { delayMs: delaySeconds * 1_000, expected: expectedOf(web.plan) });
  expect(verdict).toMatchObject({ overlaps: [], tooSoon: [], missing: [], disallowed: [], unexpected: [] });
  expect([...verdict.repeated.values()].reduce((sum, times) => sum + times - 1, 0)).toBeLessThanOrEqual(
    repeats,
  );
  expect(await auditCrawl(desk.pool, id)).toMatchObject({ differences: [], balanced: true });
  const urls = await tables.url.rows(desk.pool, { crawl_id: id });
  const blamed = urls.filter(
    ({ state, tries, attempts, reclaims }) =>
      state === 'failed' || state === 'dead' || tries + attempts + reclaims > 0,
  );
  expect(blamed).toEqual([]);
  expect(await lettersOf(desk.pool, id)).toEqual([]);
}
const start = () => desk.start(web.seeds, { scope: 'any', delaySeconds });

it('Postgres refuses connections for a while: nothing is fetched meanwhile, nobody is blamed', async () => {
  const url = new URL(world.databaseUrl);
  const proxy = await proxyFor(url);
  url.port = String(proxy.port);
  const worker = await work({ databaseUrl: url.href });
  const id = await start();
  await untilRequests(16);
  proxy.set('refusing');
  await until('the breaker opens', () => says(worker, 'open', 'Postgres'));
  expect(await requestsIn(4_000)).toBe(0);
  proxy.set('open');
  await until('the breaker closes', () => says(worker, 'closed', 'Postgres'));
  await expectWhole(id, hosts);
  expect(await worker.drain()).toBe(0);
});

it(
  'Postgres takes connections and says nothing: no request beyond the leases, and the crawl goes on after',
  { tags: ['deep'] },
  async () => {
    const url = new URL(world.databaseUrl);
    const proxy = await proxyFor(url);
    url.port = String(proxy.port);
    const worker = await work({ databaseUrl: url.href });
    const id = await start();
    await untilRequests(16);
    proxy.set('silent');
    await requestsIn(leaseSeconds * 1_000);
    expect(await requestsIn(4_000)).toBe(0);
    proxy.set('open');
    await expectWhole(id, hosts);
    expect(await worker.drain()).toBe(0);
  },
);

/** Who says nothing is the harder one: who refuses is known at once to be away. */
const temporalIs = (state: 'refusing' | 'silent', tags: ('long' | 'deep')[]): void =>
  it(
    `Temporal is ${state} for a while: slices end, what they fetched is kept, and the crawl goes on after`,
    { tags },
    async () => {
      const proxy = await proxyFor(new URL(`tcp://${world.temporalAddress}`));
      const worker = await work({ temporalAddress: proxy.address });
      const id = await start();
      await untilRequests(16);
      proxy.set(state);
      // A slice that runs ends in its time, which is later on a busy machine; no other is handed out, so URLs are left.
      await until('no request is sent', async () => (await requestsIn(4_000)) === 0);
      expect(await leasedUrls(id)).toBe(0);
      expect(await tables.url.count(desk.pool, { crawl_id: id, state: 'queued' })).toBeGreaterThan(0);
      proxy.set('open');
      await expectWhole(id, hosts);
      expect(await worker.drain()).toBe(0);
    },
  );
temporalIs('silent', ['long']);
temporalIs('refusing', ['deep']);

it.skipIf(!mayMount())(
  'the disk of the bodies is full (needs the right to mount): nothing is fetched',
  { tags: ['long'] },
  async () => {
    const disk = makeSmallDisk(2 * 1024 * 1024);
    cleanUps.push(() => disk.unmount());
    const worker = await work({}, disk.folder);
    const id = await start();
    await untilRequests(16);
    disk.fill();
    await until('the breaker opens', () => says(worker, 'open', 'blob store'));
    expect(await requestsIn(4_000)).toBe(0);
    expect(await leasedUrls(id)).toBe(0);
    const out = async () => (await currentOutages(desk.pool)).map(({ dependency, why }) => [dependency, why]);
    await until('everybody can know', async () => (await out()).length > 0);
    expect(await out()).toEqual([['blobs', expect.stringMatching(/disk|space/) as string]]);
    const time = await timeOf(desk.pool, id, new Date());
    expect(time).toMatchObject({ eta: { by: 'outage', seconds: null } });
    expect(time?.causes.find(({ cause }) => cause === 'outage')?.seconds).toBeGreaterThan(0);
    disk.free();
    await until('the breaker closes', () => says(worker, 'closed', 'blob store'));
    await until('everybody can know that too', async () => (await out()).length === 0);
    await expectWhole(id, hosts);
    expect(await worker.drain()).toBe(0);
  },
);

it.skipIf(!mayMount())(
  'the disk of Postgres is full (needs the right to mount): nothing is fetched',
  { tags: ['deep'] },
  async () => {
    await desk.close();
    const name = new URL(world.databaseUrl).pathname.slice(1);
    const server = await serverDesk();
    const { rows } = await server.query<{ data_directory: string }>('show data_directory');
    const owner = statSync(rows[0]?.data_directory ?? '/').uid;
    const disk = makeSmallDisk(64 * 1024 * 1024, owner);
    await server.query(`create tablespace small_${name} location '${disk.folder}'`);
    await server.query(`alter database ${name} set tablespace small_${name}`);
    desk = await openDesk(world);
    const worker = await work({});
    try {
      const id = await start();
      await untilRequests(16);
      disk.fill();
      await until('the breaker opens', () => says(worker, 'open', 'Postgres'));
      expect(await requestsIn(4_000)).toBe(0);
      expect(worker.log.join('\n')).toContain('No space left on device');
      disk.free();
      await until('the breaker closes', () => says(worker, 'closed', 'Postgres'));
      await expectWhole(id, hosts);
      expect(await worker.drain()).toBe(0);
    } finally {
      await server.query(`drop database ${name} with (force)`);
      await server.query(`drop tablespace small_${name}`);
      await server.end();
      disk.unmount();
    }
  },
);

async function serverDesk(): Promise<Client> {
  const url = new URL(inject('stack').templateUrl);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  return client;
}
