import { statement } from '../statement.ts';

/** Shards that hosts were ever given, from 0 on. */
export const countShards = statement<[], { shards: number }>(
  'count-shards',
  `select coalesce(max(shard) + 1, 0)::int as shards from host`,
);
