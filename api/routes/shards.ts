/** Shards of hosts, and what their schedulers do. */
import { shardList, type ShardView } from '../../contracts/http/shards.ts';
import { countShards } from '../../storage/feeding/index.ts';
import { instance } from '../way-in/access.ts';
import { json } from './answers.ts';
import { route } from './route.ts';

export const shardRoutes = [
  route({
    method: 'GET',
    path: '/v1/shards',
    access: instance('operator', 'hosts'),
    id: 'listShards',
    summary: 'The shards of hosts, and how the scheduler of each shares its places',
    answers: { 200: json('Shards.', shardList) },
    handler:
      ({ pool, schedulers, settings }) =>
      async () => {
        const [given] = await countShards(pool);
        const shards = Math.max(settings.shards, given?.shards ?? 0);
        const items = await Promise.all(
          Array.from({ length: shards }, async (_, shard): Promise<ShardView> => {
            const view = await schedulers.view(shard);
            if (view === null) return { shard, scheduler: null };
            const { decisions, given: places, activeHosts, cap, fed, ticks, mode } = view;
            return {
              shard,
              scheduler: {
                ...{ activeHosts, cap, fed, ticks, mode },
                given: { ...places, byTier: [...places.byTier] },
                decisions: decisions.map((decision) => ({
                  ...decision,
                  byTier: [...decision.byTier],
                  at: new Date(decision.at).toISOString(),
                })),
              },
            };
          }),
        );
        return { items };
      },
  }),
];
