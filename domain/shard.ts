/** Most shards that hosts can be spread over (F09). */
export const mostShards = 64;

/** The shard of a host (F09): FNV-1a over its origin. Must never change, since the result is stored. */
export function shardOf(origin: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < origin.length; at++) hash = Math.imul(hash ^ origin.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % shards;
}
