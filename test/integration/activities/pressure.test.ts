/**
 * Fetching slows down for the stages behind it, and loses nothing (F07).
 * @module-tag long
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { NoRoomForBody, type Fetcher } from '../../../contracts/fetching.ts';
import { explainUrlOf } from '../../../engine/explain/explain.ts';
import { endless, Pressure } from '../../../engine/pressure/pressure.ts';
import type { BodyStore } from '../../../storage/archive/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { unreadPages } from '../../../storage/crawls/index.ts';
import { noteWorker } from '../../../storage/instance/index.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { auditCrawl, timeOf } from '../../../storage/reports/index.ts';
import { addUrl, fromNow, hostRow, robotsRead, tables, not } from '../../support/database/index.ts';
import { closedGate } from '../../support/gate.ts';
import { expectExact } from '../storage/frontier.ts';
import { type Fetching, type HostRow, withFetching } from './fetching.ts';
import { readBodies } from './reading.ts';
import { startSite } from './site.ts';

const fetching = withFetching();
const { pool } = fetching;

/** A crawl with so many pages at each of several hosts. */
async function queued(hosts: number, pages: number): Promise<{ hosts: HostRow[]; crawl: number }> {
  const crawl = await fetching.crawl();
  const paths = Array.from({ length: pages }, (_, n) => `/${String(n)}`);
  const made = Array.from({ length: hosts }, async () => {
    const host = await fetching.host((await startSite()).origin);
    await fetching.queue(crawl, host, ...paths);
    return host;
  });
  return { hosts: await Promise.all(made), crawl };
}

/** Visits the hosts until all is fetched. */
async function visitAll(role: ReturnType<Fetching['role']>, hosts: readonly HostRow[]): Promise<true> {
  await Promise.all(
    hosts.map(async (host) => {
      while ((await role.fetchSlice(host)).next !== 'idle');
    }),
  );
  return true;
}

async function expectNothingLost(crawl: number, hosts: readonly HostRow[], pages: number): Promise<void> {
  expect(await expectExact(pool, crawl)).toMatchObject({ done: pages, queued: 0, failed: 0 });
  for (const { hostId } of hosts) expect(await hostRow(pool, hostId)).toMatchObject({ failures: 0 });
}

it('with no room for unread pages fetching stands still, and goes on at the pace of the reader', async () => {
  const capacity = 12;
  const { hosts, crawl } = await queued(3, 14);
  const role = fetching.role({ capacities: { ...endless, unreadPages: capacity } });
  const unread = (): Promise<number> => tables.url.count(pool, { crawl_id: crawl, stage: not(0) });
  const over = visitAll(role, hosts);
  await expect.poll(unread).toBeGreaterThanOrEqual(capacity * 0.8);

  let most = 0;
  for (let done = false; !done;) {
    most = Math.max(most, await unread());
    for (const host of hosts) await readBodies(fetching, host);
    done = await Promise.race([over, delay(300, false)]);
  }
  // Of each host the answer that was under way when the room was used up.
  expect(most).toBeLessThanOrEqual(capacity + hosts.length);
  await expectNothingLost(crawl, hosts, 42);
  // The time in which fetching stood still has a name of its own.
  const times = await tables.time.rows(pool, { crawl_id: crawl });
  expect(times.reduce((sum, { pressure }) => sum + pressure, 0)).toBeGreaterThan(0);
});

it('while a body waits for the disk no host is asked, and none is lost', async () => {
  const sites = await Promise.all(Array.from({ length: 6 }, () => startSite()));
  const crawl = await fetching.crawl();
  const hosts = await Promise.all(
    sites.map(async ({ origin }) => {
      const host = await fetching.host(origin);
      await robotsRead(pool, host.hostId);
      await fetching.queue(crawl, host, ...Array.from({ length: 6 }, (_, n) => `/${String(n)}`));
      return host;
    }),
  );
  const disk = closedGate();
  let puts = 0;
  const slow: BodyStore = {
    get: (hash, at) => fetching.blobs.get(hash, at),
    put: async (capture, patienceMs) => {
      puts++;
      await disk.opened;
      return fetching.blobs.put(capture, patienceMs);
    },
  };
  // Any body fills the stage: a further request leaves only when none waits.
  const role = fetching.role({ capacities: { ...endless, storeBytes: 1 } }, { blobs: slow });
  const [first, ...others] = hosts;
  const begun = visitAll(role, first === undefined ? [] : [first]);
  await expect.poll(() => puts).toBe(1);
  const over = visitAll(role, others);
  const leased = async (): Promise<number> =>
    (await tables.url.rows(pool, { crawl_id: crawl, state: 'leased' })).length;
  await expect.poll(leased).toBe(36);
  // Long enough for requests that nothing holds back.
  await delay(300);
  expect(sites.map(({ hits }) => hits.length)).toEqual([1, 0, 0, 0, 0, 0]);

  disk.open();
  await Promise.all([begun, over]);
  expect(puts).toBe(36);
  await expectNothingLost(crawl, hosts, 36);
});

it('with a slow database the pace falls, comes back when commits are quick, and nothing is lost', async () => {
  const { hosts, crawl } = await queued(4, 3);
  const slowPool = createPool(fetching.databaseUrl, 4, () => undefined);
  const query = slowPool.query.bind(slowPool) as (...args: unknown[]) => Promise<unknown>;
  Object.assign(slowPool, {
    query: async (...args: unknown[]) => {
      await delay(200);
      return query(...args);
    },
  });
  const writer = new FrontierWriter(slowPool);
  const capacities = { ...endless, commitMs: 100 };
  const role = fetching.role({ capacities }, { writer });
  const pressure = new Pressure(pool, writer, capacities);
  expect(pressure.fetching).toBe(1);
  const over = visitAll(role, hosts);
  let least = 1;
  for (let done = false; !done;) {
    least = Math.min(least, pressure.fetching);
    done = await Promise.race([over, delay(20, false)]);
  }
  expect(least).toBe(0);
  await expect.poll(() => pressure.fetching).toBe(1);
  await expectNothingLost(crawl, hosts, 12);
  await slowPool.end();
});

it('a host that is left alone for want of room says so, to whoever asks about its URLs or the crawl', async () => {
  const { hosts, crawl } = await queued(1, 1);
  const [host] = hosts;
  if (host === undefined) throw new Error('no host');
  const full: Fetcher = {
    fetch: () => Promise.reject(new NoRoomForBody('a.example:80')),
    addressOf: () => Promise.resolve(null),
    close: () => Promise.resolve(),
  };
  await fetching.role({}, { fetcher: full }).fetchSlice(host);
  await tables.queue.change(pool, { crawl_id: crawl }, { work_at: fromNow(-100) });
  const { not_before_ms: heldMs, eased, failures } = await tables.host.row(pool, { id: host.hostId });
  expect(heldMs).toBeGreaterThan(0);
  expect({ eased, failures }).toEqual({ eased: true, failures: 0 });
  const told = await explainUrlOf(pool, String(crawl), `${host.origin}/0`, 'Orbweaver');
  const [why] = told?.decisions.filter(({ step }) => step === 'wait') ?? [];
  expect(why).toMatchObject({
    verdict: 'pressure',
    because: expect.stringContaining('no room for its answers') as string,
  });
  const time = await timeOf(pool, String(crawl), new Date());
  const seconds = (of: string): number => time?.causes.find(({ cause }) => cause === of)?.seconds ?? 0;
  expect(seconds('pressure')).toBeGreaterThan(seconds('caps'));
});

it('pages in the folder of a machine that is gone fill no stage for the others, until it is back', async () => {
  const [here, alive, gone] = [randomUUID(), randomUUID(), randomUUID()];
  await noteWorker(pool, randomUUID(), ['fetch'], here);
  await noteWorker(pool, randomUUID(), ['fetch'], alive);
  const [before] = await unreadPages(pool);
  if (before === undefined) throw new Error('no answer');
  const crawl = await fetching.crawl();
  let n = 0;
  for (const [folder, pages] of [
    [here, 1],
    [alive, 2],
    [gone, 4],
    [null, 8],
  ] as const) {
    const name = randomUUID();
    const segment = { name, owner: randomUUID(), folder, state: 'sealed', length: 5_000 };
    const settles = folder === null ? null : new Date();
    const { id } = await tables.segment.add(pool, { ...segment, settle_at: settles });
    for (let page = 0; page < pages; page++) {
      const hash = randomBytes(32);
      await tables.body.add(pool, { hash, segment: id, at: 0, length: 100 });
      const fetched = { state: 'done', status: 200, stage: 2, bytes: 1_000, content_hash: hash };
      await addUrl(pool, crawl, `https://folders.example/${String(n++)}`, fetched);
    }
  }
  const looks = async (): Promise<Readonly<Record<string, number>>> => {
    const pressure = new Pressure(
      pool,
      new FrontierWriter(pool),
      { ...endless, unreadPages: 1_000, uploadBytes: 10_000 },
      here,
    );
    await expect
      .poll(() => {
        expect(pressure.fetching).toBeGreaterThanOrEqual(0);
        return pressure.loads.find(({ stage }) => stage === 'upload')?.used;
      })
      .toBe(5_000);
    await expect
      .poll(() => pressure.loads.find(({ stage }) => stage === 'unread')?.used)
      .not.toBe(before.pages + 15);
    return Object.fromEntries(pressure.loads.map(({ stage, used }) => [stage, used]));
  };
  expect(await looks()).toMatchObject({ unread: before.pages + 11, unread_bytes: before.bytes + 11_000 });
  // The ledger still has them all, and they count again once somebody can read them.
  expect(await auditCrawl(pool, String(crawl))).toMatchObject({ differences: expect.not.arrayContaining([expect.objectContaining({ check: 'ledger.unread_bytes' })]) as unknown[] }); // prettier-ignore
  expect((await unreadPages(pool))[0]).toEqual({ pages: before.pages + 15, bytes: before.bytes + 15_000 });
});
