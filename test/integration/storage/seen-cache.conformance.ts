/** What every seen-cache must hold (storage/seen/seen-cache.ts): exact, forgetful, open where it fails. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SeenCache } from '../../../storage/seen/index.ts';
import { runs } from '../../support/runs.ts';

/** Crawls of the tests are numbered so that none meets another's keys, nor those of an earlier run on the same Redis. */
let crawls = 2 ** 31 + Math.floor(Math.random() * 2 ** 45);
export const nextCrawl = (): number => ++crawls;

export const keys = (count: number): Buffer[] => Array.from({ length: count }, () => randomBytes(16));

/** @param open a cache that holds some thousand keys and is empty of the crawls of `nextCrawl`. */
export function conforms(open: () => SeenCache): void {
  it('knows nothing of a crawl it was told nothing about', async () => {
    expect(await open().known(String(nextCrawl()), keys(3))).toEqual([false, false, false]);
    expect(await open().known(String(nextCrawl()), [])).toEqual([]);
  });

  it('knows what it was told, in the order asked', async () => {
    const cache = open();
    const crawl = nextCrawl();
    const [a, b, c, d] = keys(4) as [Buffer, Buffer, Buffer, Buffer];
    await cache.remember(String(crawl), []);
    await cache.remember(String(crawl), [a, c]);
    await cache.remember(String(crawl), [c]);
    expect(await cache.known(String(crawl), [a, b, c, d])).toEqual([true, false, true, false]);
    expect(await cache.known(String(crawl), [d, c, c, b, a])).toEqual([false, true, true, false, true]);
  });

  it('keeps crawls apart, also those whose ids differ only above 32 bits', async () => {
    const cache = open();
    const crawl = nextCrawl();
    const [key] = keys(1) as [Buffer];
    await cache.remember(String(crawl), [key]);
    for (const other of [crawl + 1, crawl + 2 ** 32, nextCrawl() + 2 ** 40]) {
      expect(await cache.known(String(other), [key])).toEqual([false]);
    }
    await cache.remember(String(crawl + 2 ** 32), [key]);
    expect(await cache.known(String(crawl + 2 ** 32), [key])).toEqual([true]);
  });

  it('tells keys apart that differ in a single bit, and takes any bytes', async () => {
    const cache = open();
    const crawl = nextCrawl();
    const zeros = Buffer.alloc(16);
    expect(await cache.known(String(crawl), [zeros])).toEqual([false]);
    await cache.remember(String(crawl), [zeros, Buffer.alloc(16, 0xff)]);
    const neighbours = Array.from({ length: 128 }, (_, bit) => {
      const key = Buffer.alloc(16);
      key.writeUInt8(1 << (bit % 8), bit >> 3);
      return key;
    });
    expect(await cache.known(String(crawl), neighbours)).toEqual(neighbours.map(() => false));
    expect(await cache.known(String(crawl), [zeros, Buffer.alloc(16, 0xff)])).toEqual([true, true]);
  });

  it('answers for a thousand keys at once', async () => {
    const cache = open();
    const crawl = nextCrawl();
    const some = keys(1_000);
    await cache.remember(String(crawl), some.slice(0, 500));
    const known = await cache.known(String(crawl), some);
    expect(known.slice(500)).toEqual(some.slice(500).map(() => false));
    // It may forget, but not everything: it would be no use.
    expect(known.slice(0, 500).filter(Boolean).length).toBeGreaterThan(400);
  });

  it('never calls a new key seen, whatever happened before', async () => {
    const cache = open();
    const first = nextCrawl();
    // Few distinct first bytes, so that keys meet in the same sets.
    const key = fc
      .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 7 }))
      .map(([head, middle, tail]) =>
        Buffer.from([head, 0, 0, 0, middle, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, tail]),
      );
    const step = fc.record({
      crawl: fc.constantFrom(0, 1, 2 ** 32),
      remember: fc.boolean(),
      keys: fc.array(key, { maxLength: 8 }),
    });
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const run = first + 1_000_000 + 10 * tried++;
        const told = new Set<string>();
        for (const { crawl, remember, keys: asked } of steps) {
          const id = run + crawl;
          const name = (each: Buffer): string => `${String(id)} ${each.toString('hex')}`;
          const known = await cache.known(String(id), asked);
          expect(known).toHaveLength(asked.length);
          known.forEach((seen, at) => {
            if (seen) expect(told).toContain(name(asked[at] ?? Buffer.alloc(0)));
          });
          if (!remember) continue;
          await cache.remember(String(id), asked);
          for (const each of asked) told.add(name(each));
        }
      }),
      { numRuns: runs(40) },
    );
  });
}
