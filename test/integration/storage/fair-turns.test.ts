/** How places are shared between tenants and crawls, and taken back for those that come late. */
import { describe, expect, it } from 'vitest';
import type { CrawlConfig } from '../../../contracts/crawl.ts';
import {
  addHosts,
  addTenant,
  addUrls,
  changeCrawl,
  fromNow,
  noOptOuts,
  optedOut,
  tables,
  tidyTables,
} from '../../support/database/index.ts';
import { admission, expectExact, moveCrawl, runningCrawl } from './frontier.ts';
import {
  crawl,
  fed,
  frontier,
  ids,
  nextNumber,
  ownShards,
  pool,
  retired,
  set,
  shard,
  takeTurns,
} from './own-shard.ts';

ownShards();

/** A node of a plan, with what it did. */
interface Looked {
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly Plans?: readonly Looked[];
}
/** Rows that came out of the busiest part of a plan. */
const mostRows = ({ Plans = [], ...node }: Looked): number =>
  Math.max((node['Actual Rows'] ?? 0) * (node['Actual Loops'] ?? 0), ...Plans.map(mostRows));
/** Hosts that are asked to give their places back. */
const askedBack = async (cap: number): Promise<number[]> => ids((await takeTurns(pool, cap)).asked);

describe('fair turns', () => {
  /** Hosts of the shard that answered just now. */
  const knownHosts = (count: number, origin: (n: number) => string): Promise<number[]> =>
    count === 0 ? Promise.resolve([]) : addHosts(pool, count, origin, { shard, known_at: new Date() });
  /** A crawl with so many hosts of its own, known to answer or not. */
  const crawlWith = async (hosts: number, config: Partial<CrawlConfig> = {}, tenant = 1): Promise<number> => {
    const own = await runningCrawl(pool, config);
    await changeCrawl(pool, own, { tenant_id: tenant });
    const made = await knownHosts(hosts, (n) => `https://fair-${String(own)}-${String(n)}.example`);
    await frontier.writer.write({
      admissions: made.map((id) => admission(id, own, `https://x.example/fair/${String(id)}`)),
    });
    return own;
  };
  const tenant = (): Promise<number> => addTenant(pool, `tenant of shard ${String(shard)}.${nextNumber()}`);
  /** Whose the hosts are that are worked. */
  const places = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { fed_for: crawlId } of await tables.host.rows(pool, { shard, fed: true }))
      counts[String(crawlId)] = (counts[String(crawlId)] ?? 0) + 1;
    return counts;
  };
  /** So many of those that were fed longest ago. */
  const giveBack = async (count: number): Promise<void> => {
    const worked = await tables.host.rows(pool, { shard, fed: true });
    const oldest = worked.sort((a, b) => a.fed_at_ms - b.fed_at_ms || a.id - b.id).slice(0, count);
    for (const { id } of oldest) await set(id, { fed: false, not_before: fromNow(3_600) });
  };

  it('give a crawl all places that nobody else wants, and each that comes free to the one that comes late', async () => {
    const first = await crawlWith(60);
    await fed(20);
    expect(await places()).toEqual({ [first]: 20 });
    const late = await crawlWith(30);
    expect(await fed(20)).toEqual([]);
    await giveBack(3);
    await fed(20);
    expect(await places()).toEqual({ [first]: 17, [late]: 3 });
    await giveBack(8);
    await fed(20);
    expect(await places()).toEqual({ [first]: 10, [late]: 10 });
    await giveBack(10);
    await fed(20);
    expect(await places()).toEqual({ [first]: 10, [late]: 10 });
  });

  it('are of tenants first, then of their crawls by weight', async () => {
    const [one, other] = [await tenant(), await tenant()];
    const [a, b] = [await crawlWith(40, { weight: 3 }, one), await crawlWith(40, {}, one)];
    const c = await crawlWith(40, {}, other);
    await fed(24);
    expect(await places()).toEqual({ [a]: 9, [b]: 3, [c]: 12 });
  });

  it('count a host that several crawls want once, and give it once', async () => {
    await crawlWith(4);
    const b = await crawlWith(0);
    const rows = await tables.host.rows(pool, { shard });
    await frontier.writer.write({
      admissions: rows.map(({ id }) => admission(id, b, `https://x.example/shared/${String(id)}`)),
    });
    expect(await fed(10)).toHaveLength(4);
    expect(Object.values(await places())).toEqual([2, 2]);
    expect(await fed(10)).toEqual([]);
  });

  /** As if a slice of each host that is worked were under way; what was fed first was so long ago. */
  const atWork = async (): Promise<void> => {
    for (const { id } of await tables.host.rows(pool, { shard, fed: true }))
      await set(id, { lease_until: fromNow(600), fed_at: fromNow(id - 20_000) });
  };

  it('take places back for the one that comes late: of those worked longest, once, though they have URLs that are due', async () => {
    const first = await crawlWith(60);
    const held = await fed(20);
    await atWork();
    expect(await askedBack(20)).toEqual([]);
    const late = await crawlWith(30);
    const asked = await askedBack(20);
    expect(asked).toEqual(held.slice(0, 10));
    expect(await askedBack(20)).toEqual([]);
    expect(await retired(held[10] ?? 0)).toBe(false);
    for (const host of asked) expect(await retired(host)).toBe(true);
    await fed(20);
    expect(await places()).toEqual({ [first]: 10, [late]: 10 });
    await atWork();
    expect(await askedBack(20)).toEqual([]);
    // Each has its turn again, and need not yield for what was asked before.
    await moveCrawl(pool, late, 'paused');
    await tables.host.change(pool, { shard, fed_for: late }, { fed: false });
    await tables.queue.change(pool, { host_id: asked }, { turn_at: fromNow(-3_600) });
    await fed(20);
    expect(await places()).toEqual({ [first]: 20 });
    for (const host of asked) expect(await retired(host)).toBe(false);
  });

  it('take back no more than makes the places of tenants even, and in each those of its crawls by weight', async () => {
    const [one, other, third] = [await tenant(), await tenant(), await tenant()];
    const a = await crawlWith(40, {}, one);
    const c = await crawlWith(40, {}, other);
    await fed(24);
    expect(await places()).toEqual({ [a]: 12, [c]: 12 });
    const b = await crawlWith(40, { weight: 3 }, one);
    const d = await crawlWith(2, {}, third);
    for (let turn = 0; turn < 3; turn++) {
      await atWork();
      for (const host of await askedBack(24)) expect(await retired(host)).toBe(true);
      await fed(24);
    }
    const shares = await places();
    expect(shares).toMatchObject({ [d]: 2 });
    expect([(shares[a] ?? 0) + (shares[b] ?? 0), shares[c]]).toEqual([11, 11]);
    expect([shares[a], shares[b]]).toEqual([3, 8]);
    await atWork();
    expect(await askedBack(24)).toEqual([]);
  });

  it('leave places with hosts in trouble, and wake those that sleep until they may be visited', async () => {
    await crawlWith(4);
    const [troubled = 0, asleep = 0, lately = 0, queued = 0] = await fed(4);
    await atWork();
    await set(troubled, { failures: 1 });
    await set(asleep, { lease_until: null, not_before: fromNow(20) });
    await set(queued, { lease_until: null, fed_at: fromNow(-86_400) });
    await crawlWith(9);
    expect((await takeTurns(pool, 4)).asked).toEqual([
      expect.objectContaining({ id: asleep, asleep: true }),
      expect.objectContaining({ id: lately, asleep: false }),
    ]);
  });

  it('look at a few hosts alone, however many wait, sleep or are parked', async () => {
    const all = await crawlWith(0);
    // In parts, each of which a busy machine takes in before the pool gives it up.
    for (let part = 0; part < 15; part++) {
      const hosts = await knownHosts(2_000, (n) => `https://many-${String(part * 2_000 + n)}.example`);
      const [later, parked] = [0, 1].map((rest) => hosts.filter((_, at) => at % (2 + rest) === 0));
      await tables.host.change(pool, { id: later }, { not_before: fromNow(3_600) });
      await tables.host.change(pool, { id: parked }, { parked_at: fromNow() });
      await addUrls(
        pool,
        all,
        hosts.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}`, priority: 0.5 })),
      );
    }
    // What earlier tests left dead is gone too, whether or not the autovacuum has come by.
    await tidyTables(pool, 'host', 'host_queue', 'url');
    const late = await crawlWith(1);
    const db = await pool.connect();
    try {
      expect((await takeTurns(db, 10)).fed).toHaveLength(10);
      expect(await places()).toEqual({ [all]: 9, [late]: 1 });
      await crawlWith(3);
      await atWork();
      expect((await takeTurns(db, 10)).asked).toHaveLength(3);
      for (const cap of [20, 10]) {
        const { rows } = await db.query<{ 'QUERY PLAN': [{ Plan: Looked }] }>(
          `explain (analyze, buffers, format json) execute "hosts-for-places" (${String(shard)}, ${String(cap)}, ${String(cap)})`,
        );
        const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
        // Some plans read all hosts from few pages.
        expect(mostRows(plan)).toBeLessThan(1_000);
        // Pages of tables and indexes: a scan of the hosts alone would be thousands.
        expect((plan['Shared Hit Blocks'] ?? NaN) + (plan['Shared Read Blocks'] ?? NaN)).toBeLessThan(5_000);
      }
    } finally {
      db.release();
    }
  });

  it('leave no domain that has opted out with anything queued, in a look or two', async () => {
    await crawlWith(0);
    const hosts = await knownHosts(300, (n) => `https://h${String(n)}.opted.example`);
    const admissions = hosts.map((id) => admission(id, crawl, `https://x.example/${String(id)}`));
    await frontier.writer.write({ admissions });
    await optedOut(pool, 'opted.example');
    try {
      for (let look = 0; look < 3; look++) expect(await fed(200)).toEqual([]);
      const left = await tables.url.rows(pool, { crawl_id: crawl });
      expect(left).toHaveLength(300);
      const { detail } = left[0] ?? {};
      expect(detail).toBe('opted.example has opted out');
      expect(
        await tables.url.count(pool, { crawl_id: crawl, state: 'excluded', reason: 'opt-out', detail }),
      ).toBe(300);
      await expectExact(pool, crawl);
    } finally {
      await noOptOuts(pool);
    }
  });
});
