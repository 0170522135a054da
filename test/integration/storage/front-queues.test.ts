/**
 * F03: in which front queue a host waits, and that the places of a crawl are shared by tier.
 * @module-tag long
 */
import { describe, expect, it } from 'vitest';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import { sharesOfPlaces, tierOf, tiers } from '../../../domain/front-queue/tiers.ts';
import { correctTurns, retireHost, takeTurns, takeTurnsAtDoor } from '../../../storage/feeding/index.ts';
import { addHosts, addUrls, changeHost, fromNow, frontTier, tables } from '../../support/database/index.ts';
import { admission, leased, result, takenLease } from './frontier.ts';
import { crawl, frontier, knownHost, nextNumber, nextShard, ownShards, pool, shard } from './own-shard.ts';

ownShards();

const admit = (host: number, priority: number, seed = false) =>
  frontier.writer.write({
    admissions: [admission(host, crawl, `https://x.example/front/${nextNumber()}`, { priority, seed })],
  });
const queueOf = (host: number) => tables.queue.row(pool, { host_id: host, crawl_id: crawl });
const fed = async (cap: number) => {
  const { fed: hosts, given, asked } = await takeTurns(pool, shard, cap, newFront(5));
  return { hosts: hosts.map(({ id }) => id), given, asked: asked.map(({ id }) => id) };
};

describe('the tier of a host (F03)', () => {
  it('has the same bounds in the database', async () => {
    for (const priority of [2, 1, 0.3, 0.2999, 0.12, 0.1199, 0.01, 0, -3.5])
      expect([priority, await frontTier(pool, priority)]).toEqual([priority, tierOf(priority)]);
  });

  it('is that of its best URL: a better one raises it, and it falls when the host is given back', async () => {
    const host = await knownHost();
    await admit(host, 0.05);
    expect(await queueOf(host)).toMatchObject({ tier: 2, authority: false });
    await admit(host, 0.2);
    await admit(host, 0.01);
    expect(await queueOf(host)).toMatchObject({ tier: 1 });
    await admit(host, 1);
    expect(await queueOf(host)).toMatchObject({ tier: 0 });
    expect((await fed(1)).hosts).toEqual([host]);
    const token = await takenLease(pool, host);
    const places = await leased(pool, host, token, 2);
    await frontier.writer.write({ results: places.map((place) => result(place, 'done')) });
    await changeHost(pool, host, { lease_token: null, lease_until: null, yield_at: new Date() });
    expect(await retireHost(pool, String(host))).toHaveLength(1);
    expect(await queueOf(host)).toMatchObject({ tier: 2, queued: 2 });
  });

  it('falls when a turn that was noted too early is put right, and counts what is due first', async () => {
    const host = await knownHost();
    await admit(host, 1);
    await admit(host, 0.2);
    await tables.url.change(pool, { host_id: host, priority: 1 }, { due_at: fromNow(600) });
    await correctTurns(pool, JSON.stringify([{ host_id: host, crawl_id: crawl }]));
    expect(await queueOf(host)).toMatchObject({ tier: 1 });
  });

  it('is raised by a URL that is queued again', async () => {
    const host = await knownHost();
    await admit(host, 1);
    await tables.url.change(pool, { host_id: host }, { state: 'excluded' });
    await admit(host, 0.05);
    expect(await queueOf(host)).toMatchObject({ tier: 2 });
    await tables.url.change(pool, { host_id: host, state: 'excluded' }, { state: 'queued' });
    expect(await queueOf(host)).toMatchObject({ tier: 0 });
  });

  it('has a class for hosts that were named by a seed', async () => {
    const host = await knownHost();
    await admit(host, 0.2);
    expect(await queueOf(host)).toMatchObject({ authority: false });
    await admit(host, 1, true);
    expect(await queueOf(host)).toMatchObject({ authority: true });
  });
});

describe('places by tier (F03)', () => {
  /** Hosts of the crawl, so many in each tier. */
  const hostsByTier = async (ofEach: number): Promise<void> => {
    for (const [tier, priority] of [0.9, 0.2, 0.05].entries()) {
      const hosts = await addHosts(
        pool,
        ofEach,
        (n) => `https://tier-${String(tier)}-${String(n)}-${String(shard)}.example`,
        { shard, known_at: new Date() },
      );
      await addUrls(
        pool,
        crawl,
        hosts.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}`, priority })),
      );
    }
  };

  it('are shared by weight, that of load where many wait, however long the hosts of other tiers have waited', async () => {
    await hostsByTier(120);
    await tables.queue.change(pool, { crawl_id: crawl, tier: 2 }, { turn_at: fromNow(-3_600) });
    const { hosts, given } = await fed(100);
    expect(hosts).toHaveLength(100);
    for (const tier of tiers)
      expect(Math.abs(given.byTier[tier] - 100 * sharesOfPlaces('loaded')[tier])).toBeLessThanOrEqual(2);
    expect(given.explored).toBe(20);
  });

  it('that the low tier holds are asked back for a high tier that waits, and given to it', async () => {
    const slow = await addHosts(pool, 40, (n) => `https://slow-${String(n)}-${String(shard)}.example`, {
      shard,
      known_at: new Date(),
    });
    await addUrls(
      pool,
      crawl,
      slow.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}`, priority: 0.05 })),
    );
    expect((await fed(40)).given.byTier).toEqual([0, 0, 40]);
    await hostsByTier(40);
    const { asked } = await fed(40);
    expect(asked.length).toBeGreaterThan(20);
    for (const host of asked) expect(await retireHost(pool, String(host))).toHaveLength(1);
    const { given } = await fed(40);
    expect(given.byTier[0]).toBeGreaterThan(given.byTier[1]);
    expect(given.byTier[1]).toBeGreaterThan(0);
  });
});

describe('the door', () => {
  it('lets nobody in while 200 known hosts of the crawl could be worked; those that wait for their own time do not count', async () => {
    const known = await addHosts(pool, 200, (n) => `https://known-${String(n)}-${String(shard)}.example`, {
      shard,
      known_at: new Date(),
    });
    const [stranger = NaN] = await addHosts(pool, 1, () => `https://stranger-${String(shard)}.example`);
    await addUrls(
      pool,
      crawl,
      [...known, stranger].map((id) => ({ host_id: id, url: `https://x.example/${String(id)}` })),
    );
    const letsIn = async () =>
      (await takeTurnsAtDoor(pool, new Map(), 20, 20, 60_000, newFront(5))).hosts.map(({ id }) => id);
    expect(await letsIn()).toEqual([]);
    await tables.queue.change(pool, { crawl_id: crawl, host_id: known[0] }, { turn_at: fromNow(60) });
    expect(await letsIn()).toEqual([stranger]);
  });
});

describe('a giant host (F09)', () => {
  const places = 4;
  const small = { hosts: 30, urls: 2 };

  /**
   * Works hosts of a crawl of its own in rounds, one URL of each that has a place, until the small ones have nothing
   * left. @param giants URLs of the one host beside them, which all go before theirs; 0: there is no such host
   */
  async function work(giants: number): Promise<{ readonly rounds: number; readonly ofGiant: number }> {
    await nextShard();
    const known = { shard, known_at: new Date() };
    const hosts = await addHosts(
      pool,
      small.hosts,
      (n) => `https://small-${String(n)}-${String(shard)}.example`,
      known,
    );
    const urls = (id: number, many: number, priority: number) =>
      Array.from({ length: many }, (_, n) => ({
        host_id: id,
        url: `https://x.example/${String(n)}`,
        priority,
      }));
    const [giant = 0] = await addHosts(pool, 1, () => `https://giant-${String(shard)}.example`, known);
    if (giants > 0) await addUrls(pool, crawl, urls(giant, giants, 0.9));
    await addUrls(
      pool,
      crawl,
      hosts.flatMap((id) => urls(id, small.urls, 0.05)),
    );
    let front = newFront(5);
    const working = new Set<number>();
    let [rounds, ofGiant, left] = [0, 0, small.hosts * small.urls];
    for (; left > 0 && rounds < 1_000; rounds++) {
      const turns = await takeTurns(pool, shard, places, front);
      ({ front } = turns);
      for (const { id } of turns.fed) working.add(id);
      for (const host of working) {
        const fetched = await leased(pool, host, await takenLease(pool, host), 1);
        await frontier.writer.write({ results: fetched.map((place) => result(place, 'done')) });
        await changeHost(pool, host, { lease_token: null, lease_until: null });
        if (host === giant) ofGiant += fetched.length;
        else left -= fetched.length;
        if ((await retireHost(pool, String(host))).length > 0) working.delete(host);
      }
    }
    return { rounds, ofGiant };
  }

  it('has one place: the others are done as soon as with that place less, however much it has that goes first', async () => {
    const [alone, beside] = [await work(0), await work(20_000)];
    const turns = small.hosts * small.urls;
    expect(alone.rounds).toBeLessThanOrEqual(Math.ceil(turns / places) + small.urls);
    expect(beside.rounds).toBeLessThanOrEqual(Math.ceil(turns / (places - 1)) + small.urls);
    expect(beside.ofGiant).toBeGreaterThan(0);
    expect(beside.ofGiant).toBeLessThanOrEqual(beside.rounds);
  });
});
