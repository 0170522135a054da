import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { behindBy, seedPriority, sitemapPriority, worthOf } from '../../domain/priority/place.ts';
import {
  defaultWeights,
  focusedWeights,
  placeInSite,
  score,
  weighedSignals,
  weightsOf,
  weightTolerance,
  type PrioritySignals,
  type PriorityWeights,
} from '../../domain/priority/score.ts';

const plain: PrioritySignals = {
  ...{ depth: 1, parentPriority: 1, nesting: 1, home: false, trusted: 0 },
  ...{
    inboundHosts: 0,
    inboundPages: 1,
    relevance: 0,
    freshness: 0,
    dateOfSitemap: false,
    hostQuality: 1,
  },
};

const unit = fc.double({ min: 0, max: 1, noNaN: true });
const links = fc.integer({ min: 0, max: 100_000 });
const someSignals: fc.Arbitrary<PrioritySignals> = fc.record({
  depth: fc.integer({ min: 0, max: 32_767 }),
  parentPriority: fc.double({ min: 1e-4, max: 1, noNaN: true }),
  nesting: fc.integer({ min: 0, max: 1_000 }),
  home: fc.boolean(),
  trusted: unit,
  inboundHosts: links,
  inboundPages: links,
  relevance: unit,
  freshness: unit,
  dateOfSitemap: fc.boolean(),
  hostQuality: unit,
});
const someWeights: fc.Arbitrary<PriorityWeights> = fc
  .tuple(...weighedSignals.map(() => fc.integer({ min: 0, max: 100 })))
  .filter((shares) => shares.some((share) => share > 0))
  .map((shares) => {
    const sum = shares.reduce((all, share) => all + share, 0);
    return weightsOf(
      Object.fromEntries(weighedSignals.map((signal, at) => [signal, (shares[at] ?? 0) / sum])),
      false,
    );
  });

describe('the score of a page (F02)', () => {
  it('has default weights that sum to 1, and is the base formula in its signal of depth', () => {
    for (const weights of [defaultWeights, focusedWeights]) {
      const sum = Object.values(weights).reduce((all, weight) => all + weight, 0);
      expect(Math.abs(sum - 1)).toBeLessThan(weightTolerance);
    }
    const only = {
      ...plain,
      depth: 2,
      parentPriority: 0.25,
      hostQuality: 0.8,
      inboundPages: 0,
      nesting: 1e9,
    };
    // 0.5 · hostQuality · sqrt(parentPriority) · 1/(1 + depth)
    expect(score(only, defaultWeights).score).toBeCloseTo((0.5 * 0.8 * Math.sqrt(0.25)) / 3, 6);
  });

  it('lies between all that have failed and all seeds, as the 4-byte float that is stored, and sums up its parts', () => {
    fc.assert(
      fc.property(someSignals, someWeights, (signals, weights) => {
        const { score: value, parts, factor } = score(signals, weights);
        const stored = Math.fround(value);
        expect(stored).toBeGreaterThan(0);
        expect(stored).toBeLessThanOrEqual(seedPriority);
        expect(stored).toBeLessThan(sitemapPriority);
        expect(stored - behindBy).toBeLessThan(0);
        expect(worthOf(stored - behindBy)).toBeCloseTo(stored, 5);
        const sum = factor * parts.reduce((all, part) => all + part.value * part.weight, 0);
        expect(value).toBeCloseTo(Math.max(1e-4, sum), 9);
      }),
    );
  });

  it('never falls when a signal gets better, and never rises when one gets worse', () => {
    const better: readonly ((of: PrioritySignals) => PrioritySignals)[] = [
      (of) => ({ ...of, depth: Math.max(0, of.depth - 1) }),
      (of) => ({ ...of, parentPriority: Math.min(1, of.parentPriority * 2) }),
      (of) => ({ ...of, nesting: Math.max(0, of.nesting - 1) }),
      (of) => ({ ...of, home: true }),
      (of) => ({ ...of, trusted: 1 }),
      (of) => ({ ...of, inboundHosts: of.inboundHosts + 1 }),
      (of) => ({ ...of, inboundPages: of.inboundPages * 2 }),
      (of) => ({ ...of, relevance: Math.min(1, of.relevance + 0.1) }),
      (of) => ({ ...of, freshness: 1 }),
      (of) => ({ ...of, hostQuality: 1 }),
      (of) => ({ ...of }),
    ];
    fc.assert(
      fc.property(someSignals, someWeights, fc.constantFrom(...better), (signals, weights, change) => {
        expect(score(change(signals), weights).score).toBeGreaterThanOrEqual(
          score(signals, weights).score - 1e-12,
        );
      }),
    );
  });

  it('puts seeds before their links, and those before theirs', () => {
    const below = (depth: number, parentPriority: number): number =>
      score({ ...plain, depth, parentPriority }, defaultWeights).score;
    const link = below(1, seedPriority);
    expect(seedPriority).toBeGreaterThan(link);
    expect(link).toBeGreaterThan(below(2, link));
  });

  it('leaves out signals that the crawl does not name', () => {
    expect(score(plain, weightsOf({ depth: 1 }, true)).parts.map(({ signal }) => signal)).toEqual(['depth']);
    expect(weightsOf(null, false)).toBe(defaultWeights);
  });
});

describe('the place of a URL in its site', () => {
  it.each([
    ['/', 0, true],
    ['', 0, true],
    ['/?q=a/b', 0, false],
    ['/a', 1, false],
    ['/a/', 1, false],
    ['/a//b/c.html?d=/e', 3, false],
  ])('%s', (path, nesting, home) => {
    expect(placeInSite(path)).toEqual({ nesting, home });
  });
});
