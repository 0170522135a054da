/** Shards of hosts over the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SchedulerView } from '../../../contracts/workflows.ts';
import { noteTaker, serve, startServices, type Api, type Services } from './world.ts';

const scheduler: SchedulerView = {
  ...{ shard: 0, activeHosts: 3, cap: 10, fed: 7, ticks: 9, mode: 'loaded' },
  given: { byTier: [4, 2, 1], authority: 3, explored: 1 },
  decisions: [{ at: 1_000, mode: 'loaded', byTier: [1, 0, 0], authority: 1, explored: 0, askedBack: 2 }],
};

let services: Services;
let api: Api;
beforeAll(async () => {
  services = await startServices();
  const view = (shard: number) => Promise.resolve(shard === 0 ? scheduler : null);
  api = await serve(services.pool, noteTaker(services.pool), undefined, undefined, { schedulers: { view } });
});
afterAll(async () => {
  await api.stop();
  await services.stop();
});

describe('/v1/shards', () => {
  it('tells how the scheduler of each shard shares its places', async () => {
    const answer = await fetch(`${api.url}/v1/shards`, { headers: { authorization: `Bearer ${api.key}` } });
    expect(answer.status).toBe(200);
    const { shard, ...told } = scheduler;
    const decisions = told.decisions.map((each) => ({ ...each, at: '1970-01-01T00:00:01.000Z' }));
    expect(await answer.json()).toEqual({ items: [{ shard, scheduler: { ...told, decisions } }] });
  });
});
