import { LRUCache } from 'lru-cache';

/**
 * What was used last, `most` entries at most; the one that has gone unused the longest makes room. Takes memory as it
 * fills: with `max` lru-cache takes room for all entries at once, some 40 ms and 11 MB for the caches of a worker that
 * has met nobody yet.
 *
 * @param ttl milliseconds for which an entry counts; absent: for as long as it is kept
 */
export const lastUsed = <K extends string | number, V extends string | number | boolean | object>(
  most: number,
  ttl?: number,
): LRUCache<K, V> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...(ttl !== undefined && { ttl }) });
