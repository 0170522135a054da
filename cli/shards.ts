/** `shards list`: the shards of hosts and their schedulers. */
import { Readable } from 'node:stream';
import { shardList, type ShardView } from '../contracts/http/shards.ts';
import { withApi } from './api-target.ts';
import type { VerbOptions } from './crawls.ts';
import { exitCodes, type ExitCode } from './ending.ts';
import { writeList, type Shown } from './table.ts';

const shown: Shown<ShardView> = {
  heads: ['shard', 'at work', 'at most', 'load', 'places high', 'medium', 'low', 'authority', 'explored'],
  row: ({ shard, scheduler }) => {
    if (scheduler === null) return [String(shard), '', '', 'no worker answers'];
    const { activeHosts, cap, mode, given } = scheduler;
    const places = [...given.byTier, given.authority, given.explored];
    return [String(shard), String(activeHosts), String(cap), mode, ...places.map(String)];
  },
  none: 'There is no shard.',
};

export async function listShards(options: VerbOptions): Promise<ExitCode> {
  const { items } = await withApi(options, (api) => api.get('/v1/shards', shardList));
  await writeList(Readable.from(items), options.json === true, shown);
  return exitCodes.ok;
}
