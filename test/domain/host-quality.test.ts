/** The quality of a host (domain/host-quality.ts). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  linksTaken,
  nextQuality,
  qualityParts,
  reviewQuality,
  sampledQuality,
  type HostSample,
} from '../../domain/host-quality.ts';

const good: HostSample = {
  ...{ urls: 200, pages: 150, duplicates: 0, thin: 0, errors: 0, traps: 0, inbound: 0 },
};
const upTo = (most: number) => fc.integer({ min: 0, max: most });
const sample = fc.record({
  ...{ urls: upTo(600), pages: upTo(600), duplicates: upTo(600), thin: upTo(600), errors: upTo(600) },
  ...{ traps: upTo(600), inbound: upTo(100) },
});
const worth = (of: HostSample): number => sampledQuality(qualityParts(of));

describe('the quality of a host', () => {
  it('lies between 0 and 1, whatever a sample holds', () => {
    fc.assert(
      fc.property(sample, fc.double({ min: 0, max: 1, noNaN: true }), (of, before) => {
        const quality = nextQuality(before, qualityParts(of));
        expect(quality).toBeGreaterThanOrEqual(0);
        expect(quality).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('falls with duplicates, thin pages, errors and traps, and rises with links from other hosts', () => {
    for (const worse of [{ duplicates: 100 }, { thin: 100 }, { errors: 100 }, { traps: 50 }] as const) {
      expect(worth({ ...good, ...worse })).toBeLessThan(worth(good));
      expect(worth({ ...good, ...worse, inbound: 10 })).toBeGreaterThan(worth({ ...good, ...worse }));
    }
  });

  it('stays near 1 while little is known', () => {
    expect(worth({ ...good, urls: 2, pages: 1, errors: 1 })).toBeGreaterThan(0.9);
    expect(worth({ ...good, urls: 0, pages: 0 })).toBe(1);
  });

  it('of a spam host sinks under review within three days, and is back within five when the host is mended', () => {
    const spam = { ...good, duplicates: 130, thin: 20, errors: 60, traps: 100, urls: 310 };
    let quality = 1;
    for (let day = 0; day < 3; day++) quality = nextQuality(quality, qualityParts(spam));
    expect(quality).toBeLessThan(reviewQuality);
    for (let day = 0; day < 5; day++) quality = nextQuality(quality, qualityParts(good));
    expect(quality).toBeGreaterThan(0.9);
  });

  it('bounds the links of a page at poor hosts only', () => {
    expect([linksTaken(10_000, 1), linksTaken(10_000, 0.2), linksTaken(50, 0.2)]).toEqual([10_000, 200, 50]);
  });
});
