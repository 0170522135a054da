/** Caches of seen keys; Postgres has the last word. */
export { LayeredSeenCache } from './layered-seen-cache.ts';
export { MemorySeenCache } from './memory-seen-cache.ts';
export { RedisSeenCache } from './redis-seen-cache.ts';
export type { SeenCache } from './seen-cache.ts';
