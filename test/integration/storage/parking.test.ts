/** Crawls are told of hosts that are parked and come back (F38), in the transaction in which that happens. */
import { describe, expect, it } from 'vitest';
import { readEvents } from '../../../storage/events/index.ts';
import { bringBack, park, answerAsks, askParkedHosts, claimAsks } from '../../../storage/hosts/index.ts';
import { inTransaction } from '../../../storage/postgres/index.ts';
import { redriveBatch } from '../../../storage/letters/index.ts';
import { lockCrawls, reopenCrawlsAtHost } from '../../../storage/crawls/index.ts';
import {
  addTenant,
  changeCrawl,
  deadlocks,
  expectFree,
  fromNow,
  tables,
  waitingForLocks,
} from '../../support/database/index.ts';
import { admission, expectExact, moveCrawl, names, newHost, runningCrawl, withFrontier } from './frontier.ts';

const frontier = withFrontier(12);
const { pool } = frontier;

const kindsOf = async (crawl: number): Promise<string[]> =>
  (await readEvents(pool, String(crawl), '0', 1_000)).map(({ kind }) => kind);
const admit = (host: number, crawl: number, stem: string, count = 1) =>
  frontier.writer.write({ admissions: names(count, stem).map((url) => admission(host, crawl, url)) });

describe('a host that is parked', () => {
  it('is told to open crawls that have work there, once, and once more when it is back', async () => {
    const host = await newHost(pool, 'https://parked.example');
    const [working, elsewhere, over] = await Promise.all([1, 2, 3].map(() => runningCrawl(pool)));
    if (working === undefined || elsewhere === undefined || over === undefined) throw new Error('no crawl');
    await admit(host, working, 'working');
    await admit(await newHost(pool), elsewhere, 'elsewhere');
    await admit(host, over, 'over');
    await moveCrawl(pool, over, 'finished');
    await park(pool, String(host), 'timeout: spent', ['timeout']);
    await park(pool, String(host), 'timeout: spent', ['timeout']);
    await bringBack(pool, String(host));
    await bringBack(pool, String(host));
    const begun = ['crawl.created', 'crawl.running'];
    expect(await kindsOf(working)).toEqual([...begun, 'host.parked', 'host.back']);
    expect(await kindsOf(elsewhere)).toEqual(begun);
    expect(await kindsOf(over)).toEqual([...begun, 'crawl.finished']);
    const events = await readEvents(pool, String(working), '2', 10);
    expect(events.map(({ data }) => data)).toEqual([
      { host: 'https://parked.example', reason: 'timeout: spent' },
      { host: 'https://parked.example' },
    ]);
  });

  it('tells why to crawls alone that were let go there, and to those of the first tenant', async () => {
    const host = await newHost(pool);
    const tenant = await addTenant(pool, 'stranger');
    const reasons = async (reached: boolean): Promise<unknown[]> => {
      const crawl = await runningCrawl(pool);
      await changeCrawl(pool, crawl, { tenant_id: tenant });
      await admit(host, crawl, `stranger-${String(reached)}`);
      await tables.queue.change(pool, { host_id: host, crawl_id: crawl }, { reached });
      await park(pool, String(host), 'timeout: spent', ['timeout']);
      await bringBack(pool, String(host));
      const events = await readEvents(pool, String(crawl), '0', 10);
      return events.filter(({ kind }) => kind === 'host.parked').map(({ data }) => data['reason']);
    };
    expect(await reasons(false)).toEqual([undefined]);
    expect(await reasons(true)).toEqual(['timeout: spent']);
  });

  it('is asked once for a crawl, in however many batches its seeds come, and again an hour later', async () => {
    const [origin, crawl] = ['https://mended.example', await runningCrawl(pool)];
    const host = await newHost(pool, origin);
    await park(pool, String(host), 'timeout: spent', ['timeout']);
    const seeds = async (stem: string): Promise<number> => {
      await admit(host, crawl, stem);
      return (await askParkedHosts(pool, crawl, [origin])).length;
    };
    expect(await seeds('first')).toBe(1);
    expect(await claimAsks(pool, crawl)).toHaveLength(1);
    // The ask that is under way stays the one it was.
    expect(await seeds('second')).toBe(0);
    expect(await claimAsks(pool, crawl)).toEqual([]);
    await answerAsks(pool, String(host));
    expect(await seeds('third')).toBe(0);
    const other = await runningCrawl(pool);
    await admit(host, other, 'other');
    expect(await askParkedHosts(pool, other, [origin])).toHaveLength(1);
    await tables.queue.change(pool, { crawl_id: crawl }, { ask_answered_at: fromNow(-61 * 60) });
    expect(await seeds('fourth')).toBe(1);
  });

  it.each([
    ['is parked', (host: number) => park(pool, String(host), 'timeout: spent', ['timeout'])],
    ['is brought back', (host: number) => bringBack(pool, String(host))],
  ])('waits for its crawls before it %s, and holds nothing meanwhile', async (_what, change) => {
    const host = await newHost(pool);
    const crawl = await runningCrawl(pool);
    await admit(host, crawl, `held-${String(host)}`);
    let changed: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (redriver) => {
      await lockCrawls(redriver, [crawl]);
      changed = change(host);
      await expect.poll(() => waitingForLocks(redriver)).toBeGreaterThan(0);
      await expectFree(redriver, host);
    });
    await changed;
  });

  it('makes nobody wait for another in a circle', async () => {
    const hosts = await Promise.all(Array.from({ length: 12 }, () => newHost(pool)));
    const crawls = await Promise.all([1, 2, 3].map(() => runningCrawl(pool)));
    for (const host of hosts)
      for (const crawl of crawls) await admit(host, crawl, `first-${String(host)}`, 5);
    // Parking buries them, for somebody to drive them again.
    await tables.url.change(pool, { host_id: hosts }, { attempts: 1, reason: 'timeout' });
    const before = await deadlocks(pool);
    const each = async (work: (host: number, turn: number) => Promise<unknown>): Promise<void> => {
      for (const [turn, host] of hosts.entries()) await work(host, turn);
    };
    const redrive = (host: number) =>
      redriveBatch(pool, { crawlId: null, hostId: String(host), class: null, key: null }, null);
    // Without retries: what waits in a circle fails here.
    await Promise.all([
      each((host) => park(pool, String(host), 'timeout: spent', ['timeout'])),
      each(redrive),
      each(redrive),
      each((host) => bringBack(pool, String(host))),
      ...crawls.map((crawl) =>
        each((_host, turn) => moveCrawl(pool, crawl, turn % 2 === 0 ? 'paused' : 'running')),
      ),
      each((host, turn) => admit(host, crawls[turn % 3] ?? 0, `more-${String(turn)}`, 3)),
      each((host) => reopenCrawlsAtHost(pool, String(host))),
    ]);
    for (const host of hosts) await redrive(host);
    expect(await deadlocks(pool)).toBe(before);
    for (const crawl of crawls) await expectExact(pool, crawl);
    for (const crawl of crawls) {
      const ids = (await readEvents(pool, String(crawl), '0', 1_000)).map(({ id }) => Number(id));
      expect(ids).toEqual(ids.map((_, index) => index + 1));
    }
  });
});
