import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayStart, startsAfter, type Starts } from '../../../domain/front-queue/starts.ts';

/** Ticks of a second while any number of hosts wait. @param perSecond how many places begin, tick by tick */
function run(
  perSecond: readonly number[],
): readonly { readonly waits: number; readonly begun: number; readonly window: number }[] {
  let starts: Starts | null = null;
  let left = 0;
  return perSecond.map((able, tick) => {
    const seen = startsAfter(starts, left, tick * 1_000);
    const waits = seen.waiting + mayStart(seen);
    const begun = Math.min(able, waits);
    starts = { ...seen, waiting: waits };
    left = waits - begun;
    return { waits, begun, window: seen.window };
  });
}

describe('places that are given and not begun', () => {
  it('are no more than begin in two seconds, once it is known how fast they do', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), (able) => {
        const ticks = run(Array.from({ length: 40 }, () => able));
        for (const { waits } of ticks.slice(20)) expect(waits).toBeLessThanOrEqual(2 * able + 2);
      }),
    );
  });

  it('are as many as can begin', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 500 }), (able) => {
        const ticks = run(Array.from({ length: 40 }, () => able));
        for (const { begun } of ticks.slice(20)) expect(begun).toBeGreaterThanOrEqual(0.9 * able);
      }),
    );
  });

  it('become few within some ticks in which none begins, and many again when they do', () => {
    const ticks = run([...Array.from({ length: 15 }, () => 200), ...Array.from({ length: 10 }, () => 0), ...Array.from({ length: 15 }, () => 200)]); // prettier-ignore
    expect(ticks[14]?.begun).toBe(200);
    expect(ticks[24]?.window).toBeLessThanOrEqual(4);
    expect(ticks.at(-1)?.begun).toBe(200);
  });

  it('are two at least, whatever a clock says', () => {
    fc.assert(
      fc.property(
        fc.record({ window: fc.integer({ min: 2, max: 5_000 }), waiting: fc.nat(5_000), at: fc.integer() }),
        fc.nat(5_000),
        fc.integer(),
        (before, waiting, at) => {
          expect(startsAfter(before, waiting, at).window).toBeGreaterThanOrEqual(2);
          expect(startsAfter(before, waiting, at).window).toBeLessThanOrEqual(1_000_000);
        },
      ),
    );
  });
});
