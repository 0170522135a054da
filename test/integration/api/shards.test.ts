/** Shards of hosts over the API. */
import { describe, expect, it } from 'vitest';
import type { SchedulerView } from '../../../contracts/workflows.ts';
import { countShards } from '../../../storage/feeding/index.ts';
import { withApi } from './world.ts';

const scheduler: SchedulerView = {
  ...{ shard: 0, activeHosts: 3, cap: 10, fed: 7, ticks: 9, mode: 'loaded' },
  given: { byTier: [4, 2, 1], authority: 3, explored: 1 },
  decisions: [{ at: 1_000, mode: 'loaded', byTier: [1, 0, 0], authority: 1, explored: 0, askedBack: 2 }],
};

const woken: number[] = [];
const { pool, api } = withApi({
  schedulers: {
    view: (shard: number) => Promise.resolve(shard === 0 ? scheduler : null),
    wake: (shard: number) => {
      woken.push(shard);
      return Promise.reject(new Error('Temporal is away'));
    },
  },
});

describe('/v1/shards', () => {
  it('tells how the scheduler of each shard shares its places', async () => {
    const answer = await ask('GET', '/v1/shards');
    expect(answer.status).toBe(200);
    const { shard, ...told } = scheduler;
    const decisions = told.decisions.map((each) => ({ ...each, at: '1970-01-01T00:00:01.000Z' }));
    expect(await answer.json()).toEqual({
      items: [{ shard, splitInto: null, scheduler: { ...told, decisions } }],
    });
  });

  it('splits a shard into the next new one, once at a time, though Temporal is away', async () => {
    const begun = await ask('POST', '/v1/shards/0/split');
    expect([begun.status, await begun.json()]).toEqual([202, { shard: 0, into: 1 }]);
    expect(woken).toEqual([0, 1]);
    await refused('0', 409, /being split already/);
    const { items } = (await (await ask('GET', '/v1/shards')).json()) as { items: unknown[] };
    expect(items).toMatchObject([{ splitInto: { shard: 1, hosts: 0 } }, { shard: 1, scheduler: null }]);
    const further = await ask('POST', '/v1/shards/1/split');
    expect(await further.json()).toEqual({ shard: 1, into: 2 });
  });

  it('refuses what is no shard, and more than 64 shards', async () => {
    await refused('7', 404, /no shard 7/);
    await refused('64', 400, /shard/);
    await refused('x', 400, /shard/);
    expect(await countShards(pool, 64)).toEqual([{ shards: 64 }]);
    await refused('63', 409, /64 shards/);
  });
});

const ask = (method: string, path: string): Promise<Response> =>
  fetch(`${api.url}${path}`, { method, headers: { authorization: `Bearer ${api.key}` } });

async function refused(shard: string, status: number, words: RegExp): Promise<void> {
  const answer = await ask('POST', `/v1/shards/${shard}/split`);
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(words)]);
}
