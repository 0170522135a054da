/** The way to Redis: a cache that may vanish. No command waits for it. */
import { Redis } from 'ioredis';

const tellMs = 60_000;

/**
 * @param url a secret, never logged
 * @param onAway told that it does not answer: once in a while, not for each command
 */
export function openRedis(url: string, onAway: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 500,
  });
  let told = 0;
  redis.on('error', (error: Error) => {
    if (Date.now() - told < tellMs) return;
    told = Date.now();
    onAway(error);
  });
  return redis;
}
