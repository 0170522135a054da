/** What the pages of crawls and hosts in Temporal Web are told by activities that are called anyway (F40). */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCrawlActivities } from '../../../activities/crawls.ts';
import { createHostActivities } from '../../../activities/hosts.ts';
import { asActivity } from '../../support/activity.ts';
import { changeCrawl, changeHost, fromNow, hostParked } from '../../support/database/index.ts';
import { type HostRow, withFetching } from './fetching.ts';

const fetching = withFetching();
const { pool } = fetching;

const nobodyIsTold = {} as never;
const crawls = () => createCrawlActivities(fetching.dependencies(), nobodyIsTold);

async function waitingAt(crawl: number, name: string): Promise<HostRow> {
  const host = await fetching.host(`https://${name}.example`);
  await fetching.queue(crawl, host, '/1', '/2');
  await changeHost(pool, host.hostId, {
    ...{ failures: 1, failing_since: fromNow(), not_before: fromNow(3_600) },
  });
  return host;
}
const park = (host: HostRow) => hostParked(pool, host.hostId);

describe('a crawl', () => {
  it('is told in a few numbers, with some of the hosts it waits for, in less than 10 kB', async () => {
    const crawl = await fetching.crawl();
    const label = 'l'.repeat(200);
    await changeCrawl(pool, crawl, { label });
    const long = [1, 2, 3].map((n) => `${'a'.repeat(60)}.`.repeat(3) + String(n));
    const hosts: HostRow[] = [];
    for (const name of [...long, 'd', 'e', 'f', 'g']) hosts.push(await waitingAt(crawl, name));
    await park(hosts[0] as HostRow);
    const { glance } = await asActivity(() => crawls().lookAtCrawl({ crawlId: String(crawl) }));
    expect(glance).toMatchObject({
      ...{ label, pages: 0, discovered: 14, queued: 14, deadLetters: 0, perSecond: 0, waiting: 7 },
      hosts: { total: 7, working: 0, parked: 1 },
    });
    expect(glance?.waitsFor).toHaveLength(5);
    expect(glance?.waitsFor[0]).toEqual({ origin: hosts[1]?.origin, why: 'backoff', queued: 2 });
    expect(JSON.stringify(glance).length).toBeLessThan(10_000);
  });

  it(
    'that is watched tells of a host that is parked before its time is over',
    { tags: ['long'] },
    async () => {
      const crawl = await fetching.crawl();
      const [host] = [await waitingAt(crawl, 'news'), await waitingAt(crawl, 'old')];
      const begun = performance.now();
      const seen = { over: false };
      const watching = asActivity(() => crawls().watchCrawl({ crawlId: String(crawl), watchMs: 60_000 }));
      const watched = watching.finally(() => (seen.over = true));
      // However it was seen first, it is seen otherwise later.
      while (!seen.over) {
        await park(host);
        await delay(200);
        await changeHost(pool, host.hostId, { parked_at: null });
        await delay(200);
      }
      const { verdict, glance } = await watched;
      expect(verdict).toBe('going');
      expect(glance?.waiting).toBeGreaterThanOrEqual(2);
      expect(performance.now() - begun).toBeLessThan(50_000);
    },
  );

  it('goes on where the numbers cannot be had', async () => {
    const crawl = await fetching.crawl();
    const query = (statement: unknown, ...rest: unknown[]): unknown =>
      JSON.stringify(statement).includes('count-crawl')
        ? Promise.reject(new Error('canceling statement due to statement timeout'))
        : (pool.query as (...all: unknown[]) => unknown).call(pool, statement, ...rest);
    const slow = new Proxy(pool, { get: (target, name) => name === 'query' ? query : Reflect.get(target, name) as unknown }); // prettier-ignore
    const activities = createCrawlActivities(fetching.dependencies({}, { pool: slow }), nobodyIsTold);
    const crawlId = String(crawl);
    expect(await asActivity(() => activities.lookAtCrawl({ crawlId }))).toMatchObject({
      ...{ state: 'running', glance: null },
    });
  });
});

describe('a host', () => {
  it('is told which crawls want it, most queued first, and how many more', async () => {
    const host = await fetching.host('https://wanted.example');
    const { countHost } = createHostActivities(fetching.dependencies(), nobodyIsTold, 1_000);
    const wantedBy = async () => (await asActivity(() => countHost(host))).wantedBy;
    expect(await wantedBy()).toEqual({ crawls: [], more: 0 });
    const ids: number[] = [];
    for (let n = 1; n <= 7; n++) {
      const crawl = await fetching.crawl();
      ids.unshift(crawl);
      await fetching.queue(crawl, host, ...Array.from({ length: n }, (_, at) => `/${String(at)}`));
    }
    expect(await wantedBy()).toEqual({ crawls: ids.slice(0, 5).map(String), more: 2 });
  });
});
