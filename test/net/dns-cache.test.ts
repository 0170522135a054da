/** What is kept of DNS, and for how long. The clock is the test's; times are milliseconds. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DnsCache, freshMs, type DnsCacheOptions } from '../../net/dns-cache.ts';
import type { DnsAnswer } from '../../net/dns-server.ts';
import { ResolverFault, type ResolvedAddress } from '../../net/resolver.ts';
import { until } from './fetching.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

const v4 = (address: string): ResolvedAddress => ({ address, family: 4 });
const v6 = (address: string): ResolvedAddress => ({ address, family: 6 });
const found = (ttlSeconds: number, ...addresses: readonly string[]): DnsAnswer => ({
  addresses: addresses.map(v4),
  ttlSeconds,
  partial: false,
});
const silence = (): Promise<never> => Promise.reject(new ResolverFault('site.test', 'ETIMEOUT', true));

/** A cache, the answer it is given next, the questions it asked, and its clock. */
function caching(options: Partial<DnsCacheOptions> = {}) {
  const world = {
    now: 1_000_000,
    asked: [] as string[],
    answer: (_name: string): DnsAnswer | Promise<DnsAnswer> => found(0, '192.0.2.1'),
    cache: null as unknown as DnsCache,
    addresses: async (name = 'site.test') => (await world.cache.resolve(name)).map(({ address }) => address),
  };
  world.cache = new DnsCache({
    ask: async (name) => {
      world.asked.push(name);
      return world.answer(name);
    },
    now: () => world.now,
    ...options,
  });
  return world;
}

describe('an answer is fresh', () => {
  it('for its TTL, within 5 min and 24 h, whatever the TTL', () => {
    const usual = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(fc.oneof(usual, fc.integer(), fc.double(), fc.constant(Number.NaN)), (ttl) => {
        const life = freshMs(found(ttl, '192.0.2.1'));
        expect(life).toBeGreaterThanOrEqual(5 * minute);
        expect(life).toBeLessThanOrEqual(day);
        if (ttl >= 300 && ttl <= 86_400) expect(life).toBe(ttl * 1_000);
      }),
    );
  });

  it('to the millisecond: then it is asked for again', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 200_000 }),
        fc.integer({ min: 1, max: day }),
        async (ttl, at) => {
          const world = caching();
          world.answer = () => found(ttl, '192.0.2.1');
          await world.addresses();
          world.now += at;
          await world.addresses();
          expect(world.asked.length).toBe(at < freshMs(found(ttl, '192.0.2.1')) ? 1 : 2);
        },
      ),
    );
  });

  it.each(['ENOTFOUND', 'ENODATA'] as const)('for 30 s where it is %s', async (absent) => {
    const world = caching();
    world.answer = () => ({ absent });
    const code = () => world.addresses().catch((error: unknown) => (error as { code: string }).code);
    expect(await code()).toBe(absent);
    world.now += 29_999;
    expect(await code()).toBe(absent);
    expect(world.asked.length).toBe(1);
    expect(world.cache.stats()).toMatchObject({ hits: 1, misses: 1, failures: 0 });
    world.now += 1;
    world.answer = () => found(0, '192.0.2.9');
    expect(await world.addresses()).toEqual(['192.0.2.9']);
  });

  it('for 30 s where only half of it came', async () => {
    const world = caching();
    world.answer = () => ({ addresses: [v6('2001:db8::1')], ttlSeconds: 3_600, partial: true });
    await world.addresses();
    world.now += 30_000;
    world.answer = () => found(3_600, '192.0.2.1');
    expect(await world.addresses()).toEqual(['192.0.2.1']);
  });
});

describe('no answer', () => {
  it('is never kept: the next one who asks has the question put again', async () => {
    const world = caching();
    world.answer = silence;
    await expect(world.addresses()).rejects.toThrow(ResolverFault);
    world.answer = () => found(0, '192.0.2.1');
    expect(await world.addresses()).toEqual(['192.0.2.1']);
    expect(world.cache.stats()).toMatchObject({ failures: 1, misses: 1, questions: 2 });
  });

  it('leaves expired addresses in use, and asks again no sooner than 30 s later', async () => {
    const world = caching();
    await world.addresses();
    world.now += 5 * minute;
    world.answer = silence;
    for (let times = 0; times < 10; times++) expect(await world.addresses()).toEqual(['192.0.2.1']);
    expect(world.asked.length).toBe(2);
    world.now += 30_000;
    expect(await world.addresses()).toEqual(['192.0.2.1']);
    expect(world.asked.length).toBe(3);
    world.answer = () => found(0, '192.0.2.2');
    world.now += 30_000;
    expect(await world.addresses()).toEqual(['192.0.2.2']);
    expect(world.cache.stats()).toMatchObject({ stale: 11, failures: 0 });
  });

  it('in time is none: expired addresses serve, and the late answer is kept', async () => {
    const world = caching({ staleAfterMs: 20 });
    await world.addresses();
    world.now += 5 * minute;
    const late = Promise.withResolvers<DnsAnswer>();
    world.answer = () => late.promise;
    expect(await world.addresses()).toEqual(['192.0.2.1']);
    late.resolve(found(0, '192.0.2.2'));
    await until(() => world.cache.stats().stale === 1);
    expect(await world.addresses()).toEqual(['192.0.2.2']);
    expect(world.asked.length).toBe(2);
  });

  it('helps nobody a day after the addresses expired', async () => {
    const world = caching();
    await world.addresses();
    world.answer = silence;
    world.now += 5 * minute + day - 1;
    expect(await world.addresses()).toEqual(['192.0.2.1']);
    world.now += 30_000;
    await expect(world.addresses()).rejects.toThrow(ResolverFault);
  });

  it('is not what "does not exist" is: that ends the old addresses, and is never served expired', async () => {
    const world = caching();
    await world.addresses();
    world.now += 5 * minute;
    world.answer = () => ({ absent: 'ENOTFOUND' });
    await expect(world.addresses()).rejects.toMatchObject({ code: 'ENOTFOUND' });
    world.now += 30_000;
    world.answer = silence;
    await expect(world.addresses()).rejects.toThrow(ResolverFault);
  });
});

it('gives no address that DNS did not give for that name within its day, and fails only without one', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2 * day }) }),
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
    fc.record({ kind: fc.constant('says' as const), what: fc.constantFrom('new', 'absent', 'nothing') }),
    fc.record({ kind: fc.constant('ask' as const), name: fc.constantFrom('a.test', 'b.test') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = caching();
      let says = 'new';
      /** What DNS last said of a name, and until when it may be used. */
      const last = new Map<string, { readonly address: string | null; readonly until: number }>();
      world.answer = (name) => {
        if (says === 'nothing') return silence();
        const address = says === 'new' ? `192.0.2.${String(world.asked.length % 250)}` : null;
        last.set(name, { address, until: world.now + (address === null ? 30_000 : 5 * minute + day) });
        return address === null ? { absent: 'ENOTFOUND' } : found(0, address);
      };
      for (const each of steps) {
        if (each.kind === 'pass') world.now += each.ms;
        else if (each.kind === 'says') says = each.what;
        else {
          const result = await world.addresses(each.name).catch((error: unknown) => error);
          const truth = last.get(each.name);
          const usable = truth !== undefined && world.now < truth.until;
          if (result instanceof ResolverFault) expect(says === 'nothing' && !usable).toBe(true);
          else if (Array.isArray(result)) expect([usable, result]).toEqual([true, [truth?.address]]);
          else expect(truth?.address).toBe(null);
        }
      }
    }),
  );
});

describe('many who want the same', () => {
  it('at once ask once, and share an answer as well as a failure', async () => {
    const world = caching();
    const answer = Promise.withResolvers<DnsAnswer>();
    world.answer = () => answer.promise;
    const all = Array.from({ length: 50 }, () => world.addresses());
    answer.resolve(found(0, '192.0.2.1'));
    expect(await Promise.all(all)).toEqual(Array(50).fill(['192.0.2.1']));
    expect(world.asked).toEqual(['site.test']);
    world.answer = silence;
    const failed = await Promise.allSettled(Array.from({ length: 9 }, () => world.addresses('other.test')));
    expect(failed.map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
    expect(world.asked).toEqual(['site.test', 'other.test']);
    expect(world.cache.stats()).toMatchObject({ misses: 50, failures: 9 });
  });

  it('get each of several addresses first in turn, IPv4 before IPv6, none left out', async () => {
    const four = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(v4);
    const six = ['2001:db8::1', '2001:db8::2'].map(v6);
    const world = caching();
    world.answer = () => ({ addresses: [...six, ...four], ttlSeconds: 0, partial: false });
    const answers = await Promise.all(Array.from({ length: 6 }, () => world.cache.resolve('site.test')));
    for (const addresses of answers) {
      expect(addresses.map(({ family }) => family)).toEqual([4, 4, 4, 6, 6]);
      expect(new Set(addresses)).toEqual(new Set([...four, ...six]));
    }
    const firsts = answers.map(([first]) => first?.address);
    expect(firsts).toEqual([...four, ...four].map(({ address }) => address));
  });
});

describe('memory', () => {
  it('holds so many names, and forgets those that nobody asked for the longest', async () => {
    const world = caching({ maxNames: 100 });
    for (let n = 0; n < 1_000; n++) {
      await world.addresses(`${String(n)}.test`);
      await world.addresses('often.test');
    }
    expect(world.cache.stats().names).toBe(100);
    expect(world.asked.filter((name) => name === 'often.test').length).toBe(1);
    const before = world.asked.length;
    await world.addresses('0.test');
    expect(world.asked.length).toBe(before + 1);
  });

  it('holds four addresses of each family', async () => {
    const world = caching();
    const many = Array.from({ length: 100 }, (_, n) => String(n));
    world.answer = () => ({
      addresses: [...many.map((n) => v6(`2001:db8::${n}`)), ...many.map((n) => v4(`192.0.2.${n}`))],
      ttlSeconds: 0,
      partial: false,
    });
    const addresses = await world.cache.resolve('site.test');
    expect(addresses.map(({ family }) => family).join('')).toBe('44446666');
  });
});

describe('prefetch', () => {
  it('has the answer there when it is wanted, which counts as a hit', async () => {
    const world = caching();
    world.cache.prefetch('site.test');
    await until(() => world.cache.stats().names === 1);
    expect(await world.addresses()).toEqual(['192.0.2.1']);
    world.cache.prefetch('site.test');
    expect(world.asked).toEqual(['site.test']);
    expect(world.cache.stats()).toMatchObject({ hits: 1, misses: 0, hitRate: 1 });
  });

  it('asks for eight names at a time, and those who cannot wait are not behind it', async () => {
    const world = caching();
    const waiting: PromiseWithResolvers<DnsAnswer>[] = [];
    world.answer = (name) => {
      if (name === 'urgent.test') return found(0, '192.0.2.7');
      const one = Promise.withResolvers<DnsAnswer>();
      waiting.push(one);
      return one.promise;
    };
    for (let n = 0; n < 5_000; n++) world.cache.prefetch(`${String(n)}.test`);
    await until(() => waiting.length === 8);
    expect(await world.addresses('urgent.test')).toEqual(['192.0.2.7']);
    // Failures end nothing but themselves.
    let answered = 0;
    while (answered < waiting.length) {
      if (answered % 2 === 0) waiting[answered]?.reject(new ResolverFault('x', 'ETIMEOUT', true));
      else waiting[answered]?.resolve(found(0, '192.0.2.1'));
      answered++;
      expect(waiting.length - answered).toBeLessThanOrEqual(8);
      await new Promise(setImmediate);
    }
    // What waits is bounded: the rest is looked up when it is needed.
    expect(answered).toBe(1_008);
    world.cache.prefetch('later.test');
    await until(() => world.asked.at(-1) === 'later.test');
  });
});

describe('the shared level', () => {
  const shared = (known: Readonly<Record<string, readonly [ResolvedAddress, number]>>) => {
    const told: unknown[] = [];
    return {
      told,
      get: (name: string) => {
        const [address, ms] = known[name] ?? [];
        return Promise.resolve(address === undefined ? null : { addresses: [address], freshMs: ms ?? 0 });
      },
      put: (...answer: unknown[]) => {
        told.push(answer);
        return Promise.resolve();
      },
    };
  };

  it('is asked before DNS and told after it, of whole answers with addresses only', async () => {
    const level = shared({ 'known.test': [v4('192.0.2.5'), 60_000] });
    const world = caching({ shared: level });
    expect(await world.addresses('known.test')).toEqual(['192.0.2.5']);
    expect(world.asked).toEqual([]);
    world.now += 60_000;
    await world.addresses('new.test');
    world.answer = () => ({ absent: 'ENOTFOUND' });
    await world.addresses('absent.test').catch(() => null);
    world.answer = () => ({ addresses: [v6('2001:db8::1')], ttlSeconds: 60, partial: true });
    await world.addresses('half.test');
    expect(level.told).toEqual([['new.test', [v4('192.0.2.1')], 5 * minute]]);
    expect(world.cache.stats()).toMatchObject({ shared: 1, questions: 3 });
  });

  it('is believed for a day at most', async () => {
    const world = caching({ shared: shared({ 'site.test': [v4('192.0.2.5'), 1e15] }) });
    await world.addresses();
    world.now += day;
    await world.addresses();
    expect(world.cache.stats()).toMatchObject({ shared: 2 });
  });
});
