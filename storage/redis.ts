/** Opens Redis: a cache that may vanish. No command waits for it. */
import { Redis } from 'ioredis';

const tellMs = 60_000;

/**
 * ioredis derives a class from String. From then on V8 keeps String.prototype as a dictionary, and looks every `length`
 * and `charCodeAt` in every loop of the process up by name (a tenth of a reader's time), until a warm site has read a
 * property through a String object.
 */
function quickenStrings(): void {
  const text = Object('') as { charCodeAt: unknown };
  const read = (from: typeof text): unknown => from.charCodeAt;
  for (let times = 0; times < 1_000; times++) read(text);
}
quickenStrings();

/**
 * @param url a secret, never logged
 * @param onAway is called when Redis does not answer: once in a while, not for each command
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
