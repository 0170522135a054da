/** F09: how a shard is split while its hosts are worked, and when a scheduler rests and is woken. */
import { beforeEach, describe, expect, it } from 'vitest';
import { newFront } from '../../../domain/front-queue/front-state.ts';
import {
  claimDueShards,
  listSplits,
  moveHosts,
  restShard,
  shardActivity,
  splitShard,
  takeTurns,
} from '../../../storage/feeding/index.ts';
import { ensureHosts } from '../../../storage/hosts/index.ts';
import { addHosts, addUrls, changeHost, fromNow, tables } from '../../support/database/index.ts';
import { expectExact, runningCrawl, withFrontier } from './frontier.ts';

const { pool } = withFrontier();
let crawl: number;
/** Each test has a shard of its own, and splits it into others. */
let shard = 0;
beforeEach(async () => {
  shard += 10;
  crawl = await runningCrawl(pool);
});

/** Hosts of the shard that answered just now, with a due URL each. */
async function waitingHosts(count: number): Promise<number[]> {
  const hosts = await addHosts(pool, count, (n) => `https://split-${String(shard)}-${String(n)}.example`, {
    shard,
    known_at: new Date(),
  });
  await addUrls(pool, crawl, hosts.map((id) => ({ host_id: id, url: `https://x.example/${String(id)}` }))); // prettier-ignore
  return hosts;
}
const fed = async (of: number, cap: number): Promise<number[]> =>
  (await takeTurns(pool, of, cap, newFront(1))).fed.map(({ id }) => id);
const shardsOf = async (hosts: readonly number[]): Promise<number[]> =>
  (await tables.host.rows(pool, { id: hosts })).sort((a, b) => a.id - b.id).map((host) => host.shard);

describe('a split (F09)', () => {
  it('gives about half of the hosts with their queues, in batches; those at work are worked on, and none twice', async () => {
    const hosts = await waitingHosts(200);
    const atWork = await fed(shard, 60);
    expect(atWork).toHaveLength(60);
    const [split] = await splitShard(pool, shard, shard + 1);
    expect(split).toEqual({ into: shard + 1 });
    expect(await splitShard(pool, shard, shard + 2)).toEqual([]);

    const again: number[] = [];
    for (let done = false, turn = 0; !done; turn++) {
      done = (await moveHosts(pool, shard, 30))[0]?.done ?? true;
      // Both schedulers give places meanwhile.
      if (turn < 3) again.push(...(await fed(shard, 70)), ...(await fed(shard + 1, 20)));
    }
    expect(new Set([...atWork, ...again]).size).toBe(atWork.length + again.length);

    const now = await shardsOf(hosts);
    const moved = now.filter((each) => each === shard + 1).length;
    expect(now.every((each) => each === shard || each === shard + 1)).toBe(true);
    expect(moved).toBeGreaterThan(60);
    expect(moved).toBeLessThan(140);
    expect((await listSplits(pool)).find(({ from_shard: from }) => from === shard)).toEqual({ from_shard: shard, to_shard: shard + 1, moved, done: true }); // prettier-ignore
    for (const { host_id: id, shard: queued } of await tables.queue.rows(pool, { crawl_id: crawl }))
      expect([id, queued]).toEqual([id, now[hosts.indexOf(id)]]);
    const worked = [shard, shard + 1].map(async (each) => (await shardActivity(pool, each))[0]?.active ?? 0);
    expect((await Promise.all(worked)).reduce((sum, each) => sum + each, 0)).toBe(
      atWork.length + again.length,
    );
    const rest = [...(await fed(shard, 1_000)), ...(await fed(shard + 1, 1_000))];
    expect(rest.length + atWork.length + again.length).toBe(200);
    await expectExact(pool, crawl);
  });

  it('holds for hosts that are met later, through splits of splits', async () => {
    const into = (await splitShard(pool, shard, shard + 1))[0]?.into ?? NaN;
    await moveHosts(pool, shard, 100_000);
    expect(await moveHosts(pool, shard, 100_000)).toEqual([{ done: true }]);
    const further = (await splitShard(pool, into, shard + 2))[0]?.into ?? NaN;
    const origins = Array.from(
      { length: 400 },
      (_, n) => `https://later-${String(shard)}-${String(n)}.example`,
    );
    await ensureHosts(pool, JSON.stringify(origins.map((origin) => ({ origin, shard }))));
    const counts = new Map<number, number>();
    for (const host of await tables.host.rows(pool, { origin: origins }))
      counts.set(host.shard, (counts.get(host.shard) ?? 0) + 1);
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([shard, into, further]);
    for (const [each, least] of [
      [shard, 140],
      [into, 60],
      [further, 60],
    ] as const)
      // prettier-ignore
      expect(counts.get(each)).toBeGreaterThan(least);
  });
});

describe('a scheduler that rests', () => {
  const claimed = async (): Promise<boolean> => (await claimDueShards(pool)).some(({ id }) => id === shard);
  const rest = async (): Promise<number> => (await restShard(pool, shard, 15_000))[0]?.ms ?? NaN;

  it('rests until the next turn, and is woken once when a URL comes before', async () => {
    const [host = 0] = await waitingHosts(1);
    await tables.queue.change(pool, { host_id: host }, { turn_at: fromNow(9) });
    const ms = await rest();
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(9_000);
    expect(await claimed()).toBe(false);
    await tables.queue.change(pool, { host_id: host }, { turn_at: fromNow(-1) });
    expect(await claimed()).toBe(true);
    expect(await claimed()).toBe(false);
  });

  it('rests no longer than it may, and is woken for a lease that nobody returned', async () => {
    const [host = 0] = await waitingHosts(1);
    expect(await fed(shard, 1)).toEqual([host]);
    const ms = await rest();
    expect(ms).toBeGreaterThan(10_000);
    expect(ms).toBeLessThanOrEqual(15_000);
    await changeHost(pool, host, { lease_token: 5, lease_until: fromNow(60) });
    expect(await claimed()).toBe(false);
    await changeHost(pool, host, { lease_until: fromNow(-1) });
    expect(await claimed()).toBe(true);
  });
});
