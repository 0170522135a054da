/** Shards of hosts: what their schedulers do, and how a shard is split while crawls run (F09). */
import { shardList, shardPath, splitBegun, type ShardView } from '../../contracts/http/shards.ts';
import { mostShards } from '../../domain/shard.ts';
import { countShards, listSplits, splitShard } from '../../storage/feeding/index.ts';
import { instance } from '../way-in/access.ts';
import { HttpProblem } from '../way-in/problem.ts';
import { fails, json } from './answers.ts';
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
        const [counted] = await countShards(pool, settings.shards);
        const splits = await listSplits(pool);
        const items = await Promise.all(
          Array.from({ length: counted?.shards ?? 0 }, async (_, shard): Promise<ShardView> => {
            const view = await schedulers.view(shard);
            const split = splits.find((each) => each.from_shard === shard && !each.done);
            const splitInto = split === undefined ? null : { shard: split.to_shard, hosts: split.moved };
            if (view === null) return { shard, splitInto, scheduler: null };
            const { decisions, given: places, activeHosts, cap, fed, ticks, mode } = view;
            return {
              shard,
              splitInto,
              scheduler: {
                activeHosts,
                cap,
                fed,
                ticks,
                mode,
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
  route({
    method: 'POST',
    path: '/v1/shards/{shard}/split',
    access: instance('admin', 'hosts'),
    id: 'splitShard',
    summary: 'Split a shard: about half of its hosts are given to a new shard while crawls go on',
    params: shardPath,
    answers: {
      202: json('The split has begun; the scheduler of the shard gives the hosts in batches.', splitBegun),
      400: fails('The shard is not a number from 0 to 63.'),
      404: fails('There is no such shard.'),
      409: fails('The shard is being split already, or there are 64 shards.'),
    },
    handler:
      ({ pool, schedulers, settings, log }) =>
      async ({ params: { shard } }) => {
        const [counted] = await countShards(pool, settings.shards);
        const shards = counted?.shards ?? 0;
        if (shard >= shards) throw new HttpProblem(404, `There is no shard ${String(shard)}.`);
        const [split] = await splitShard(pool, shard, shards);
        if (split === undefined)
          throw new HttpProblem(
            409,
            shards >= mostShards
              ? `There are ${String(mostShards)} shards, and there may be no more.`
              : `Shard ${String(shard)} is being split already.`,
          );
        log.info({ shard, into: split.into }, 'a shard is split');
        // A scheduler that is not woken finds the split by itself, and the patrol starts one that is missing.
        await Promise.all([shard, split.into].map((each) => schedulers.wake(each))).catch(
          (error: unknown) => {
            log.warn(
              { err: error },
              'the schedulers of a split could not be told; they notice by themselves',
            );
          },
        );
        return { shard, into: split.into };
      },
  }),
];
