/** Shards of hosts and their schedulers, as the API tells of them. */
import { z } from 'zod';
import { mostShards } from '../../domain/shard.ts';
import { wholeNumber } from './shared.ts';

const count = z.int().min(0);
/** One number for each tier: high, medium, low. */
const byTier = z.array(count).length(3);
const mode = z.enum(['normal', 'loaded']).describe('Under load the high tier gets more of the places.');
const given = {
  byTier: byTier.describe('Places given to the tiers high, medium and low.'),
  authority: count.describe('How many of them went to hosts of authority.'),
  explored: count.describe('How many of them explored: they went to the lowest tier that had hosts.'),
};

const schedulerView = z
  .object({
    cap: count.describe('Hosts at work at the same time, at most.'),
    activeHosts: count,
    fed: count.describe('Hosts started since this run of the workflow began.'),
    ticks: count,
    mode,
    given: z.object(given).describe('Places given since the scheduler first began.'),
    decisions: z
      .array(
        z.object({
          at: z.iso.datetime(),
          mode,
          ...given,
          askedBack: count.describe('Hosts that were asked to give their places back.'),
        }),
      )
      .describe('The latest ticks that gave places or asked for some back, the last first.'),
  })
  .meta({ id: 'Scheduler' });

export const shardView = z
  .object({
    shard: wholeNumber(0, mostShards - 1),
    splitInto: z
      .object({ shard: wholeNumber(0, mostShards - 1), hosts: count })
      .nullable()
      .describe('The shard that hosts are given to at present, and how many were given so far; null: none.'),
    scheduler: schedulerView
      .nullable()
      .describe(
        'Null: its workflow does not answer. The workflow begins with the first work of the shard, and needs a worker.',
      ),
  })
  .meta({ id: 'Shard' });
export type ShardView = z.infer<typeof shardView>;

export const shardList = z.object({ items: z.array(shardView) }).meta({ id: 'ShardList' });

export const shardPath = z.strictObject({
  shard: z.coerce
    .number()
    .int()
    .min(0)
    .max(mostShards - 1)
    .meta({ description: 'Number of a shard of the hosts.' }),
});

export const splitBegun = z
  .object({
    shard: wholeNumber(0, mostShards - 1),
    into: wholeNumber(1, mostShards - 1).describe('The new shard.'),
  })
  .meta({ id: 'SplitBegun' });
