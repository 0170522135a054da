/** The quality of a host (domain/host-quality.ts). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dailyBudget,
  esteemOf,
  halfForgotten,
  isLeftForLater,
  linksTaken,
  nextQuality,
  qualityParts,
  reviewQuality,
  sampledQuality,
  type HostSample,
} from '../../domain/host-quality.ts';

const good: HostSample = {
  ...{ urls: 200, pages: 150, duplicates: 0, thin: 0, asked: 80, failed: 0, traps: 0, inbound: 0 },
};
const upTo = (most: number) => fc.integer({ min: 0, max: most });
const sample = fc.record({
  ...{ urls: upTo(600), pages: upTo(600), duplicates: upTo(600), thin: upTo(600), asked: upTo(90) },
  ...{ failed: upTo(90), traps: upTo(600), inbound: upTo(100) },
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
    for (const worse of [{ duplicates: 100 }, { thin: 100 }, { failed: 30 }, { traps: 50 }] as const) {
      expect(worth({ ...good, ...worse })).toBeLessThan(worth(good));
      expect(worth({ ...good, ...worse, inbound: 10 })).toBeGreaterThan(worth({ ...good, ...worse }));
    }
  });

  it('stays near 1 while little is known', () => {
    expect(worth({ ...good, urls: 2, pages: 1, asked: 2, failed: 1 })).toBeGreaterThan(0.9);
    expect(worth({ ...good, urls: 0, pages: 0 })).toBe(1);
  });

  it('of a spam host sinks under review within three days, and is back within five when the host is mended', () => {
    const spam = { ...good, duplicates: 130, thin: 20, failed: 30, traps: 100, urls: 310 };
    let quality = 1;
    for (let day = 0; day < 3; day++) quality = nextQuality(quality, qualityParts(spam));
    expect(quality).toBeLessThan(reviewQuality);
    for (let day = 0; day < 5; day++) quality = nextQuality(quality, qualityParts(good));
    expect(quality).toBeGreaterThan(0.9);
  });

  it('bounds the links of a page at poor hosts only', () => {
    expect([linksTaken(10_000, 1), linksTaken(10_000, 0.2), linksTaken(50, 0.2)]).toEqual([10_000, 200, 50]);
  });

  it('leaves fewer requests a day, the lower the quality, and all to good hosts', () => {
    expect(dailyBudget(0.95, false)).toBeNull();
    expect([0, 0.2, 0.45, 0.7, 0.89].map((quality) => dailyBudget(quality, false))).toEqual([
      100, 460, 3_200, 21_500, 92_600,
    ]);
    const quality = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(quality, quality, (one, other) => {
        const [lower, higher] = [Math.min(one, other), Math.max(one, other)];
        expect(dailyBudget(lower, false) ?? Infinity).toBeLessThanOrEqual(
          dailyBudget(higher, false) ?? Infinity,
        );
        expect(dailyBudget(one, true)).toBe(50);
      }),
    );
  });

  it('leaves a host for later whose requests mostly fail, until they mostly do not', () => {
    let [asked, failed, later] = [0, 0, false];
    const ask = (requests: number, fails: (at: number) => boolean): number => {
      for (let at = 0; at < requests; at++) {
        asked = asked * 0.5 ** (1 / halfForgotten) + 1;
        failed = failed * 0.5 ** (1 / halfForgotten) + Number(fails(at));
        later = isLeftForLater({ asked, failed }, later);
        if (later !== fails(0)) continue;
        return at + 1;
      }
      return Infinity;
    };
    expect(ask(500, (at) => at % 3 !== 2)).toBeLessThan(80);
    expect(later).toBe(true);
    // A host that answers again is back after some 100 requests, which are two days of its tries.
    expect(ask(500, () => false)).toBeLessThan(110);
    expect(later).toBe(false);
    expect(isLeftForLater({ asked: 10, failed: 10 }, false)).toBe(false);
    expect(isLeftForLater({ asked: 90, failed: 38 }, false)).toBe(false);
    expect(isLeftForLater({ asked: 90, failed: 38 }, true)).toBe(true);
  });

  it('makes authorities of good hosts that are well ranked or linked, and of no poor one', () => {
    expect(esteemOf(1, false, 100_000, null)).toBe(1);
    expect(esteemOf(1, false, 100_001, 0.5)).toBe(0);
    expect(esteemOf(0.95, false, null, 0.8)).toBe(1);
    expect(esteemOf(0.8, false, 1, 1)).toBe(0);
    expect(esteemOf(0.4, false, 1, 1)).toBe(-1);
    expect(esteemOf(1, true, 1, 1)).toBe(-1);
  });
});
