/** `shards list` and `shards split`: the shards of hosts and their schedulers. */
import { Readable } from 'node:stream';
import { shardList, splitBegun, type ShardView } from '../../contracts/http/shards.ts';
import { counted } from '../../domain/counted.ts';
import { withApi } from '../api/target.ts';
import type { VerbOptions } from '../steer/crawls.ts';
import { exitCodes, type ExitCode } from '../ending.ts';
import { writeList, writeOne, type Shown } from '../output/table.ts';

const shown: Shown<ShardView> = {
  heads: [
    'shard',
    'at work',
    'at most',
    'load',
    'places high',
    'medium',
    'low',
    'authority',
    'explored',
    'split',
  ],
  row: ({ shard, splitInto, scheduler }) => {
    const split =
      splitInto === null ? '' : `${counted(splitInto.hosts, 'host', 'hosts')} to ${String(splitInto.shard)}`;
    if (scheduler === null)
      return [String(shard), '', '', 'no answer: nothing to do yet, or no worker', '', '', '', '', '', split];
    const { activeHosts, cap, mode, given } = scheduler;
    const places = [...given.byTier, given.authority, given.explored];
    return [String(shard), String(activeHosts), String(cap), mode, ...places.map(String), split];
  },
  none: 'There is no shard.',
};

export async function listShards(options: VerbOptions): Promise<ExitCode> {
  const { items } = await withApi(options, (api) => api.get('/v1/shards', shardList));
  await writeList(Readable.from(items), options.json === true, shown);
  return exitCodes.ok;
}

export async function splitShard(shard: number, options: VerbOptions): Promise<ExitCode> {
  const path = `/v1/shards/${String(shard)}/split`;
  const begun = await withApi(options, (api) => api.change('POST', path, splitBegun));
  writeOne(begun, options.json === true, () => [
    `Shard ${String(shard)} is being split: about half of its hosts are given to shard ${String(begun.into)}, some thousands a second. orbweaver shards list shows how far it is.`,
  ]);
  return exitCodes.ok;
}
