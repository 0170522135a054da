/** What is repeated over a host's pages, counted in fixed room: held against an exact count. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockCounts, leastPages, mostOfPage, mostPages } from '../../domain/boilerplate/block-counts.ts';
import { runs } from '../support/runs.ts';

/** Pages of a few blocks that many have, at random, among many blocks of their own. */
const host = fc
  .record({
    pages: fc.integer({ min: 0, max: mostPages + 20 }),
    shares: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 }),
    own: fc.integer({ min: 0, max: mostOfPage }),
    seed: fc.integer(),
  })
  .map(({ pages, shares, own, seed }) => {
    let state = seed;
    const random = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      return (state >>> 0) / 2 ** 32;
    };
    return Array.from({ length: pages }, (_, page) => {
      const marks = new Set<number>();
      for (let at = 0; at < own; at++) marks.add(1_000 + page * mostOfPage + at);
      for (const [mark, share] of shares.entries()) if (random() < share) marks.add(mark);
      return new Set([...marks].slice(-mostOfPage));
    });
  });

describe('blocks that are repeated', () => {
  it('are all that more than a third of the pages have, and none that less than a quarter have', () => {
    fc.assert(
      fc.property(host, (pages) => {
        const counts = new BlockCounts();
        const exact = new Map<number, number>();
        for (const marks of pages) {
          counts.add(marks);
          if (counts.pages <= mostPages && pages.indexOf(marks) < mostPages)
            for (const mark of marks) exact.set(mark, (exact.get(mark) ?? 0) + 1);
          const repeated = counts.repeated();
          if (counts.pages < leastPages) expect(repeated.size).toBe(0);
          for (const [mark, count] of repeated) {
            expect(exact.get(mark)).toBeGreaterThanOrEqual(counts.pages / 4);
            expect(count).toBeLessThanOrEqual(exact.get(mark) ?? 0);
          }
          if (counts.pages < leastPages) continue;
          for (const [mark, count] of exact)
            if (count * 3 > counts.pages) expect(repeated.has(mark)).toBe(true);
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('take fixed room, however many there are, and come back from where they are stored', () => {
    let counts = new BlockCounts();
    for (let page = 0; page < 300; page++) {
      const marks = new Set(Array.from({ length: mostOfPage - 1 }, (_, at) => 10 + page * mostOfPage + at));
      counts.add(new Set([1, ...marks]));
      counts = new BlockCounts(counts.stored());
    }
    expect(counts.pages).toBe(mostPages);
    expect(counts.stored().blocks).toHaveLength(12 * mostOfPage);
    expect(JSON.stringify(counts.stored()).length).toBeLessThan(20_000);
    expect([...counts.repeated()]).toEqual([[1, mostPages]]);
    expect(() =>
      new BlockCounts().add(new Set(Array.from({ length: mostOfPage + 1 }, (_, at) => at))),
    ).toThrow(RangeError);
  });
});
