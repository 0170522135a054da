/** Fetching slows down for the stages behind it, and loses nothing (F07). */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endless, Pressure } from '../../../engine/pressure/pressure.ts';
import type { BodyStore } from '../../../storage/archive/index.ts';
import { FrontierWriter } from '../../../storage/frontier/index.ts';
import { createPool } from '../../../storage/postgres/index.ts';
import { hostRow, tables, not } from '../../support/database/index.ts';
import { expectExact } from '../storage/frontier.ts';
import { openFetching, type Fetching, type HostRow } from './fetching.ts';
import { readBodies } from './reading.ts';
import { startSite } from './site.ts';

let fetching: Fetching;
beforeAll(async () => {
  fetching = await openFetching();
});
afterAll(() => fetching.close());

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
  expect(await expectExact(fetching.pool, crawl)).toMatchObject({ done: pages, queued: 0, failed: 0 });
  for (const { hostId } of hosts) expect(await hostRow(fetching.pool, hostId)).toMatchObject({ failures: 0 });
}

it('with no room for unread pages fetching stands still, and goes on at the pace of the reader', async () => {
  const capacity = 12;
  const { hosts, crawl } = await queued(3, 14);
  const role = fetching.role({ capacities: { ...endless, unreadPages: capacity } });
  const unread = (): Promise<number> => tables.url.count(fetching.pool, { crawl_id: crawl, stage: not(0) });
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
});

it('with a slow disk fewer bodies wait for it than there are hosts, and none is lost', async () => {
  const { hosts, crawl } = await queued(6, 6);
  const diskMs = 250;
  let puts = 0;
  const slow: BodyStore = {
    get: (hash, at) => fetching.blobs.get(hash, at),
    put: async (capture, patienceMs) => {
      puts++;
      await delay(diskMs);
      return fetching.blobs.put(capture, patienceMs);
    },
  };
  // Any body fills the stage: a further request leaves only when none waits.
  const role = fetching.role({ capacities: { ...endless, storeBytes: 1 } }, { blobs: slow });
  const from = performance.now();
  await visitAll(role, hosts);
  const together = (puts * diskMs) / (performance.now() - from);
  expect(puts).toBe(36);
  expect(together).toBeLessThan(4);
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
  const pressure = new Pressure(fetching.pool, writer, capacities);
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
