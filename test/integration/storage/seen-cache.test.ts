/** One conformance suite on each implementation, then what is each one's own. */
import { randomUUID } from 'node:crypto';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  LayeredSeenCache,
  MemorySeenCache,
  RedisSeenCache,
  type SeenCache,
} from '../../../storage/seen/index.ts';
import { conforms, keys, nextCrawl } from './seen-cache.conformance.ts';

const { redisUrl } = inject('stack');
/** Of a database that no other test has. */
const instance = randomUUID();

describe('MemorySeenCache', () => {
  conforms(() => new MemorySeenCache(8_000));

  it('holds what fits, forgets the oldest of a set, and still calls nothing new seen', () => {
    const cache = new MemorySeenCache(400);
    const crawl = String(nextCrawl());
    const many = keys(4_000);
    for (const key of many) cache.add(crawl, key);
    const known = many.filter((key) => cache.has(crawl, key));
    expect(known.length).toBeGreaterThan(350);
    expect(known.length).toBeLessThanOrEqual(400);
    expect(cache.has(crawl, many.at(-1) ?? Buffer.alloc(16))).toBe(true);
    expect(keys(10_000).some((key) => cache.has(crawl, key))).toBe(false);
  });

  it('does not give a slot twice to a key that is told again', () => {
    const cache = new MemorySeenCache(4);
    const crawl = String(nextCrawl());
    const [kept, ...others] = keys(4) as [Buffer, ...Buffer[]];
    cache.add(crawl, kept);
    for (const other of others) cache.add(crawl, other);
    for (let times = 0; times < 10; times++) cache.add(crawl, kept);
    expect([kept, ...others].every((key) => cache.has(crawl, key))).toBe(true);
  });
});

describe.skipIf(redisUrl === null)('RedisSeenCache (needs redis-server)', () => {
  let redis: Redis;
  const errors: unknown[] = [];
  const cache = (): SeenCache => new RedisSeenCache(redis, instance, (error) => errors.push(error));

  beforeAll(async () => {
    redis = new Redis(redisUrl ?? '', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
    });
    await redis.connect();
  });
  afterAll(() => redis.disconnect());

  conforms(cache);

  it('was never in trouble over that', () => {
    expect(errors).toEqual([]);
  });

  it('shares what it knows with other processes', async () => {
    const crawl = String(nextCrawl());
    const some = keys(5);
    await cache().remember(crawl, some);
    const other = redis.duplicate({ lazyConnect: true });
    await other.connect();
    expect(await new RedisSeenCache(other, instance, () => undefined).known(crawl, some)).toEqual(
      some.map(() => true),
    );
    other.disconnect();
  });

  it('keeps databases apart: crawl ids begin anew in another one', async () => {
    const crawl = String(nextCrawl());
    const some = keys(2);
    await cache().remember(crawl, some);
    const another = new RedisSeenCache(redis, randomUUID(), (error) => errors.push(error));
    expect(await another.known(crawl, some)).toEqual([false, false]);
  });

  it('lets its keys expire', async () => {
    const crawl = String(nextCrawl());
    await cache().remember(crawl, [Buffer.alloc(16, 7)]);
    const seconds = await redis.ttl(`seen:${instance}:${crawl}:7`);
    expect(seconds).toBeGreaterThan(6 * 86_400);
  });

  it('knows nothing of keys it cannot read, says so, and goes on with the others', async () => {
    const crawl = String(nextCrawl());
    const [broken, whole] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
    await redis.set(`seen:${instance}:${crawl}:1`, 'no set');
    await cache().remember(crawl, [whole]);
    errors.length = 0;
    expect(await cache().known(crawl, [broken, whole])).toEqual([false, true]);
    expect(errors).toHaveLength(1);
    errors.length = 0;
  });
});

describe('RedisSeenCache without its server', () => {
  it('knows nothing and waits for nobody where Redis never was', async () => {
    const away = new Redis({ port: 1, lazyConnect: true, enableOfflineQueue: false });
    const cache = new RedisSeenCache(away, instance, () => undefined);
    await cache.remember(String(nextCrawl()), keys(3));
    expect(await cache.known(String(nextCrawl()), keys(3))).toEqual([false, false, false]);
    away.disconnect();
  });

  it('knows nothing where Redis goes away in the middle of a question, and says so', async () => {
    const { cache, errors } = await hangingUp();
    expect(await cache.known(String(nextCrawl()), keys(2))).toEqual([false, false]);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('forgets what it is told where Redis goes away meanwhile', async () => {
    const { cache } = await hangingUp();
    await cache.remember(String(nextCrawl()), keys(2));
  });

  it('asks a Redis that is frozen once, and then leaves it alone for a moment', async () => {
    const { cache, errors, asked } = await hangingUp('silent');
    const crawl = String(nextCrawl());
    expect(await cache.known(crawl, keys(2))).toEqual([false, false]);
    expect(errors.length).toBeGreaterThan(0);
    const before = asked();
    await cache.remember(crawl, keys(2));
    expect(await cache.known(crawl, keys(2))).toEqual([false, false]);
    expect(before).toBeGreaterThan(0);
    expect(asked()).toBe(before);
  });

  it('and says so', async () => {
    const { cache, errors } = await hangingUp();
    await cache.remember(String(nextCrawl()), keys(2));
    expect(errors.length).toBeGreaterThan(0);
  });
});

/** A cache whose server answers the greeting, then hangs up on the first real command, or says nothing to it. */
async function hangingUp(
  how: 'gone' | 'silent' = 'gone',
): Promise<{ cache: SeenCache; errors: unknown[]; asked: () => number }> {
  let asked = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const commands = data.toString();
      const real = commands.match(/smismember|sadd/gi)?.length ?? 0;
      asked += real;
      if (real > 0 && how === 'gone') socket.destroy();
      else if (real === 0) socket.write('+OK\r\n'.repeat(commands.match(/\*\d/g)?.length ?? 0));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const redis = new Redis({
    port,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 200,
    retryStrategy: () => null,
  });
  redis.on('error', () => undefined);
  onTestFinished(async () => {
    redis.disconnect();
    await new Promise((closed) => server.close(closed));
  });
  await new Promise((ready) => redis.once('ready', ready));
  const errors: unknown[] = [];
  return {
    cache: new RedisSeenCache(redis, instance, (error) => errors.push(error)),
    errors,
    asked: () => asked,
  };
}

describe('LayeredSeenCache', () => {
  conforms(() => new LayeredSeenCache(new MemorySeenCache(8_000), new MemorySeenCache(8_000)));

  it('asks the far one only for what the near one does not know, and learns from it', async () => {
    const near = new MemorySeenCache();
    const asked: number[] = [];
    const told = new MemorySeenCache();
    const far: SeenCache = {
      known: (crawl, some) => {
        asked.push(some.length);
        return told.known(crawl, some);
      },
      remember: (crawl, some) => told.remember(crawl, some),
    };
    const cache = new LayeredSeenCache(near, far);
    const crawl = String(nextCrawl());
    const [a, b, c] = keys(3) as [Buffer, Buffer, Buffer];
    await near.remember(crawl, [a]);
    await told.remember(crawl, [b]);
    expect(await cache.known(crawl, [a, b, c])).toEqual([true, true, false]);
    expect(await cache.known(crawl, [c, b, a])).toEqual([false, true, true]);
    expect(asked).toEqual([2, 1]);
    await cache.remember(crawl, [c]);
    expect(await cache.known(crawl, [c])).toEqual([true]);
    expect(asked).toEqual([2, 1]);
    expect(await told.known(crawl, [c])).toEqual([true]);
  });
});
