/** DNS answers in Redis: shared, expiring by themselves, and no trouble when Redis is. */
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { randomUUID } from 'node:crypto';
import { createDnsResolver } from '../../../net/dns-resolver.ts';
import { RedisAnswers } from '../../../net/dns-shared.ts';
import type { ResolvedAddress } from '../../../net/resolver.ts';
import { hasDnsmasq, startDnsmasq } from '../../support/dnsmasq.ts';

const { redisUrl } = inject('stack');
const addresses: readonly ResolvedAddress[] = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];

describe.skipIf(redisUrl === null)('RedisAnswers (needs redis-server)', () => {
  let redis: Redis;
  let scope: string;
  const errors: unknown[] = [];
  const level = (client = redis, own = scope) => new RedisAnswers(client, own, (error) => errors.push(error));

  beforeAll(async () => {
    redis = new Redis(redisUrl ?? '', {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      lazyConnect: true,
    });
    await redis.connect();
  });
  afterAll(() => redis.disconnect());
  beforeEach(() => {
    // Of resolvers that no other test has.
    scope = randomUUID();
    errors.length = 0;
  });

  it('gives back what was put, with the time it has left, to those of the same resolvers', async () => {
    await level().put('site.test', addresses, 60_000);
    const answer = await level().get('site.test');
    expect(answer?.addresses).toEqual(addresses);
    expect(answer?.freshMs).toBeGreaterThan(50_000);
    expect(answer?.freshMs).toBeLessThanOrEqual(60_000);
    expect(await level().get('other.test')).toBe(null);
    expect(await level(redis, 'others').get('site.test')).toBe(null);
    expect(errors).toEqual([]);
  });

  it('knows nothing any more when the time is up', async () => {
    await level().put('site.test', addresses, 60);
    await expect.poll(() => level().get('site.test')).toBe(null);
  });

  const long = Array.from({ length: 30 }, () => '192.0.2.1').join(',');
  it.each(['', 'nonsense', '192.0.2.1,', '192.0.2.1,site.test', long])('passes over %j', async (text) => {
    await redis.set(`dns:${scope}:site.test`, text, 'PX', 60_000);
    expect(await level().get('site.test')).toBe(null);
  });

  it('passes over what would never expire, and what is no text', async () => {
    await redis.set(`dns:${scope}:site.test`, '192.0.2.1');
    expect(await level().get('site.test')).toBe(null);
    await redis.sadd(`dns:${scope}:set.test`, '192.0.2.1');
    expect(await level().get('set.test')).toBe(null);
    expect(errors.length).toBe(1);
  });

  it('knows nothing while Redis is away, and breaks nothing', async () => {
    const away = new Redis({ host: '127.0.0.1', port: 1, lazyConnect: true, retryStrategy: () => null });
    away.on('error', () => undefined);
    await away.connect().catch(() => undefined);
    await level(away).put('site.test', addresses, 60_000);
    expect(await level(away).get('site.test')).toBe(null);
  });

  it.skipIf(!hasDnsmasq())('spares a second process the question (needs dnsmasq)', async () => {
    const dnsmasq = await startDnsmasq(['host-record=site.test,192.0.2.1,2001:db8::1,600']);
    const process = () => createDnsResolver({ servers: () => [dnsmasq.address], shared: level() });
    const [first, second] = [process(), process()];
    try {
      expect(await first.resolve('site.test')).toEqual(addresses);
      await expect.poll(() => level().get('site.test')).not.toBe(null);
      expect(await second.resolve('site.test')).toEqual(addresses);
      expect(dnsmasq.questions().length).toBe(2);
      expect(second.stats()).toMatchObject({ shared: 1, questions: 0 });
      // What the system says of a single label holds on its own machine alone.
      await second.resolve('no-such-machine').catch(() => null);
      expect(await level().get('no-such-machine')).toBe(null);
    } finally {
      first.close();
      second.close();
      await dnsmasq.close();
    }
  });
});
