/** What statements by key read of the frontier: the rows that they name or ask for, however many others there are. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { excludeQueued, FrontierWriter, type ResultRow } from '../../../storage/frontier/index.ts';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import { takeTurns, takeTurnsAtDoor } from '../../../storage/feeding/index.ts';
import { createPool, type Pool } from '../../../storage/postgres/index.ts';
import { withDatabase } from '../../support/world.ts';
import { claimContents, claimNewContents, contentOwners, judgeCopies } from '../../../storage/pages/index.ts';
import { pagesToReread } from '../../../storage/edits/index.ts';
import {
  addHosts,
  addReadings,
  addUrls,
  fromNow,
  rowsRead,
  tables,
  tidyTables,
} from '../../support/database/index.ts';
import { admission, leased, names, newHost, result, runningCrawl, takenLease } from './frontier.ts';
import { unreadBodies } from './unread.ts';

const world = withDatabase();
let pool: Pool;

beforeAll(() => {
  // One connection, so that its plans are those that it made when the table was small.
  pool = createPool(world.databaseUrl, 1, () => undefined, { planned: 'by-key' });
});
afterAll(async () => {
  await pool.end();
});

const many = 100;
const lane = { shard: 0, lane: 0, lanes: 1 } as const;

it.each([
  ['', false],
  [', or from when it was counted last', true],
])('reads the rows that it names, with plans from when the table was small%s', async (_when, isCounted) => {
  const writer = new FrontierWriter(pool);
  const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
  const token = await takenLease(pool, host);
  const admit = (urls: readonly string[]) =>
    writer.write({ admissions: urls.map((url) => admission(host, crawl, url)) });
  const finish = async (row: ResultRow): Promise<void> => {
    const { host_id, crawl_id, key } = row;
    await writer.write({ results: [row] });
    const step = { host_id, crawl_id, key, alias_host: null, alias_key: null, content_id: null };
    await writer.write({ stages: [{ ...step, from: 1, to: 2 }] });
    await writer.write({ stages: [{ ...step, from: 2, to: 0 }] });
  };
  const work = async (urls: number): Promise<ResultRow[]> =>
    (await leased(pool, host, token, urls)).map((place) => result(place, 'done', { stage: 1 }));

  // Postgres keeps a plan from the sixth time on.
  await admit(names(8, 'first'));
  for (const row of await work(8)) await finish(row);

  const urls = names(many, 'then');
  for (let at = 0; at < many; at += 10) await admit(urls.slice(at, at + 10));
  const before = await rowsRead(pool, 'url');
  const rows = await work(many);
  const leases = (await rowsRead(pool, 'url')) - before;
  // To choose them and to change them; by the queue's index each would read the whole queue.
  expect(leases).toBeLessThan(many * 4);
  if (isCounted) await tidyTables(pool, 'url', 'host_queue', 'crawl');
  const commitsFrom = await rowsRead(pool, 'url');
  for (const row of rows) await finish(row);
  const commits = (await rowsRead(pool, 'url')) - commitsFrom;
  expect(commits).toBeLessThan(many * 3 * 4);
});

it('looks at the bodies that it asks for, though the crawl has many and nobody has counted them yet', async () => {
  const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
  const bodies = (count: number) =>
    Array.from({ length: count }, () => {
      const hash = randomBytes(32).toString('hex');
      return { crawl_id: crawl, hash, site: 0, host_id: host, key: hash, origins: [] };
    });
  const known = bodies(10 * many);
  await claimContents(pool, JSON.stringify(known));
  for (const look of [claimContents, claimNewContents, contentOwners]) {
    const before = await rowsRead(pool, 'content');
    await look(pool, JSON.stringify([...known.slice(0, 5), ...bodies(5)]));
    expect((await rowsRead(pool, 'content')) - before).toBeLessThan(many);
  }
});

it('reads no more bodies that wait than it asks for, though many wait', async () => {
  const writer = new FrontierWriter(pool);
  const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
  const token = await takenLease(pool, host);
  const looks = async (stage: 1 | 2, folder: string | null): Promise<number> => {
    const before = await rowsRead(pool, 'url');
    expect(await unreadBodies(pool, stage, lane, 10, folder)).toHaveLength(10);
    return (await rowsRead(pool, 'url')) - before;
  };
  await writer.write({ admissions: names(many, 'waits').map((url) => admission(host, crawl, url)) });
  const places = await leased(pool, host, token, many);
  await writer.write({ results: places.map((place) => result(place, 'done', { stage: 1 })) });
  await tidyTables(pool, 'url');
  expect(await looks(1, null)).toBeLessThan(many / 2);

  await writer.write({
    stages: places.map(({ host_id, crawl_id, key }) => ({
      ...{ host_id, crawl_id, key, from: 1, to: 2, alias_host: null, alias_key: null, content_id: null },
    })),
  });
  await tidyTables(pool, 'url');
  expect(await looks(2, null)).toBeLessThan(many / 2);
  expect(await looks(2, randomUUID())).toBeLessThan(many / 2);
});

it('looks at few hosts for few places, though many wait', async () => {
  const [shard, crowd] = [41, 3_000];
  const crawl = await runningCrawl(pool);
  const hosts = await addHosts(pool, crowd, (n) => `https://crowd-${String(n)}.example`, {
    ...{ shard, known_at: new Date() },
  });
  await addUrls(
    pool,
    crawl,
    hosts.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}`, priority: 0.5 })),
  );
  await tidyTables(pool, 'host', 'host_queue', 'url');
  let front = newFront(1);
  for (let worked = 5; worked <= 50; worked += 5) {
    const before = await rowsRead(pool, 'host_queue');
    const turns = await takeTurns(pool, shard, worked, front);
    ({ front } = turns);
    expect(turns.fed).toHaveLength(5);
    expect((await rowsRead(pool, 'host_queue')) - before).toBeLessThan(crowd / 10);
  }
});

it.each([
  ['regions, of which another has most hosts', 'us', ['', 'eu']],
  ['no regions', '', ['']],
])('the door looks at few hosts for few places, though many wait: %s', async (_what, region, queues) => {
  const [places, crowd] = [5, 1_500];
  const crawl = await runningCrawl(pool);
  const hosts = await addHosts(pool, crowd, (n) => `https://door-${region}-${String(n)}.example`);
  await addUrls(
    pool,
    crawl,
    hosts.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}`, priority: 0.5 })),
  );
  await tables.queue.changeAny(pool, { crawl_id: crawl }, { region });
  // The last to come are the door's own.
  for (const host_id of hosts.slice(-2 * places))
    await tables.queue.change(pool, { crawl_id: crawl, host_id }, { region: '', turn_at: fromNow() });
  await tidyTables(pool, 'host', 'host_queue', 'url');
  for (let look = 0; look < 2; look++) {
    const before = await rowsRead(pool, 'host_queue');
    const own = { queues, homeElsewhere: () => null };
    const turns = await takeTurnsAtDoor(pool, new Map(), places, places, 60_000, newFront(1), own);
    expect(turns.hosts).toHaveLength(places);
    expect((await rowsRead(pool, 'host_queue')) - before).toBeLessThan(crowd / 10);
  }
  await tables.crawl.change(pool, { id: crawl }, { state: 'cancelled' });
});

it('finds a newcomer’s page by few rows, though many of another crawl wait', async () => {
  const [shard, crowd] = [42, 2_000];
  const [busy, late] = [await runningCrawl(pool), await runningCrawl(pool)];
  const hosts = await addHosts(pool, crowd, (n) => `https://unread-${String(n)}.example`, { shard });
  const waits = (id: number) => ({
    ...{ host_id: id, url: `https://u.example/${String(id)}`, state: 'done', stage: 2 },
    ...{ content_hash: randomBytes(32), fetched_at: new Date() },
  });
  await addUrls(pool, busy, hosts.map(waits));
  await addUrls(pool, late, hosts.slice(-1).map(waits));
  await tidyTables(pool, 'url', 'host');
  const before = await rowsRead(pool, 'url');
  const found = await unreadBodies(pool, 2, { ...lane, shard }, 200);
  expect((await rowsRead(pool, 'url')) - before).toBeLessThan(crowd / 2);
  expect(found).toHaveLength(101);
  expect(found.slice(0, 2).map(({ crawl_id: id }) => id)).toContain(late);
});

it('excludes a batch of what is queued by few rows, though many more are queued at the host, or were', async () => {
  const crawl = await runningCrawl(pool);
  const [host = 0] = await addHosts(pool, 1, () => 'https://queued.example');
  const queued = Array.from({ length: 3_000 }, (_, at) => ({
    ...{ host_id: host, url: `https://queued.example/${String(at)}`, priority: at % 7 },
  }));
  await addUrls(pool, crawl, queued);
  expect(await excludeQueued(pool, crawl, 'cancelled', 1_500)).toHaveLength(1_500);
  await tidyTables(pool, 'url');
  const before = await rowsRead(pool, 'url');
  expect(await excludeQueued(pool, crawl, 'cancelled', 100)).toHaveLength(100);
  expect((await rowsRead(pool, 'url')) - before).toBeLessThan(500);
});

it('reads no copies of a body that name the page that they should, though many do', async () => {
  const [host, crawl] = [await newHost(pool), await runningCrawl(pool)];
  const urls = names(many, 'copy').map((url) => admission(host, crawl, url));
  await new FrontierWriter(pool).write({ admissions: urls });
  const [first, other] = urls.map(({ key }) => Buffer.from(key, 'hex'));
  if (first === undefined || other === undefined) throw new Error('there are no URLs');
  const hash = randomBytes(32);
  const stands = { crawl_id: crawl, host_id: host, key: first };
  const { id } = await tables.content.add(pool, { ...stands, hash, tenant_id: 1 });
  const read = { state: 'done', fetches: 1, content_hash: hash, content_id: id } as const;
  await tables.url.change(pool, { crawl_id: crawl }, { ...read, alias_host: host, alias_key: first });
  await tables.url.change(pool, stands, { alias_host: null, alias_key: null });
  const look = async (): Promise<number> => {
    await tidyTables(pool, 'url');
    await tables.contentDue.add(pool, { crawl_id: crawl, content_id: id });
    const before = await rowsRead(pool, 'url');
    await judgeCopies(pool, 60_000);
    return (await rowsRead(pool, 'url')) - before;
  };
  expect(await look()).toBeLessThan(many / 5);
  // Only those that are to be told.
  const astray = { ...stands, key: other };
  await tables.url.change(pool, astray, { alias_host: host + 1 });
  expect(await look()).toBeLessThan(many / 5);
  expect(await tables.url.row(pool, astray)).toMatchObject({ alias_host: host, alias_key: first });
});

it('reads the links of as many pages as it asks for, though many hosts have many', async () => {
  const crawl = await runningCrawl(pool);
  const hosts = await addHosts(pool, 20, (n) => `https://linked-${String(n)}.example`);
  const pages = hosts.flatMap((id) => names(many, String(id)).map((url) => ({ host_id: id, url })));
  const read = { state: 'done', fetched_at: new Date() } as const;
  const rows = await addUrls(
    pool,
    crawl,
    pages.map((page) => ({ ...page, ...read, content_hash: randomBytes(32) })),
  );
  const extracted = { outlinks: '', words: 1, links: 0, noindex: false, nofollow: false };
  await addReadings(
    pool,
    rows.map(({ host_id, crawl_id, key }) => ({ host_id, crawl_id, key, ...extracted })),
  );
  await tidyTables(pool, 'url', 'reading', 'content', 'host_queue');
  const before = await rowsRead(pool, 'url');
  expect(await pagesToReread(pool, String(crawl), 0, '', many)).toHaveLength(many);
  expect((await rowsRead(pool, 'url')) - before).toBeLessThan(3 * many);
});
