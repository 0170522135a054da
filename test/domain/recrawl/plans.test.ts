import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  expect as outlook,
  exploring,
  paceAfter,
  planVisits,
  type BoundedPage,
} from '../../../domain/recrawl/plan.ts';
import {
  estimateRate,
  fastestRate,
  mostChanges,
  noHistory,
  slowestRate,
  typicalRate,
  unknownRate,
  withVisit,
  type ChangeHistory,
} from '../../../domain/recrawl/rate.ts';
import { daysUntilWorth, freshAt, freshDays, mostWorth, worth } from '../../../domain/recrawl/worth.ts';
import { runs } from '../../support/runs.ts';

const rate = fc.double({ min: slowestRate, max: fastestRate, noNaN: true });
const importance = fc.double({ min: 0.001, max: 1, noNaN: true });
const page = fc.record({ importance, rate });
const tolerance = fc.constantFrom(0, 0.01, 1, 7);
const free = { floor: 0, ceiling: Infinity };
const noShare = { tolerance: 0, share: null, exploring: 0 };

describe('what a visit is worth', () => {
  it('grows with age, up to a bound, and is the gain of one more visit a day', () => {
    fc.assert(
      fc.property(page, tolerance, fc.double({ min: 0.01, max: 300, noNaN: true }), (each, late, days) => {
        expect(worth(each, days, late)).toBeLessThanOrEqual(worth(each, days * 1.01, late) + 1e-12);
        expect(worth(each, days, late)).toBeLessThanOrEqual(mostWorth(each, late) + 1e-12);
        const often = 1 / days;
        const step = often * 1e-4;
        const fresh = (visits: number): number =>
          each.importance * visits * freshDays(each.rate, 1 / visits, late);
        const gain = (fresh(often + step) - fresh(often - step)) / (2 * step);
        // The slope jumps where the tolerance ends.
        if (Math.abs(days - late) > 0.01 * days) expect(worth(each, days, late)).toBeCloseTo(gain, 3);
      }),
    );
  });

  it('has an inverse', () => {
    const age = fc.double({ min: 0.1, max: 60, noNaN: true });
    fc.assert(
      fc.property(page, tolerance, age, (each, late, beyond) => {
        // Far out the value is flat, and no double tells one age from another.
        fc.pre(beyond * each.rate < 15);
        const price = worth(each, late + beyond, late);
        expect(daysUntilWorth(each, price, late) / (late + beyond)).toBeCloseTo(1, 2);
        expect(daysUntilWorth(each, mostWorth(each, late) * 1.0001, late)).toBe(Infinity);
      }),
    );
  });
});

describe('the rate of a page, from one bit a visit', () => {
  const visit = fc.record({ days: fc.double({ min: 0.01, max: 60, noNaN: true }), changed: fc.boolean() });
  const after = (visits: readonly { days: number; changed: boolean }[]): ChangeHistory =>
    visits.reduce((history, { days, changed }) => withVisit(history, days, changed), noHistory);

  it('stays within what is believed, rises with a change and falls without one', () => {
    fc.assert(
      fc.property(fc.array(visit, { maxLength: mostChanges - 1 }), visit, (visits, { days }) => {
        const before = after(visits);
        const now = estimateRate(before);
        expect(now).toBeGreaterThanOrEqual(slowestRate);
        expect(now).toBeLessThanOrEqual(fastestRate);
        expect(estimateRate(withVisit(before, days, true))).toBeGreaterThanOrEqual(now * 0.999);
        expect(estimateRate(withVisit(before, days, false))).toBeLessThanOrEqual(now * 1.001);
      }),
    );
  });

  it('is bounded in memory, however long the history', () => {
    const long = after(Array.from({ length: 5_000 }, (_, at) => ({ days: 1, changed: at % 2 === 0 })));
    expect(long.changedAfter).toHaveLength(mostChanges);
    // Changed every second day: −ln(1/2) a day.
    expect(estimateRate(long)).toBeCloseTo(Math.LN2, 0);
  });

  it('is found from irregular visits', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const found = Array.from({ length: 200 }, () => {
      let history = noHistory;
      for (let visit = 0; visit < 60; visit++) {
        const days = 1 + 9 * random();
        history = withVisit(history, days, random() < -Math.expm1(-0.1 * days));
      }
      return Math.log(estimateRate(history) / 0.1);
    });
    // Of 200 pages that change every ten days, the mean estimate is right within a tenth.
    expect(Math.abs(found.reduce((sum, each) => sum + each, 0) / found.length)).toBeLessThan(0.1);
  });

  it('of up to 144 changes a day is learnt, as often as the floor of news lets a page be visited', () => {
    const tenMinutes = 1 / 144;
    const every = (nth: number) =>
      estimateRate(
        after(Array.from({ length: 150 }, (_, at) => ({ days: tenMinutes, changed: at % nth === 0 }))),
      );
    expect(every(1)).toBe(fastestRate);
    // A page that changed in every sixth interval changes about once in an hour: −ln(5/6) in ten minutes.
    expect(every(6) / (-Math.log(5 / 6) * 144)).toBeCloseTo(1, 0);
    // One change that was seen soon after the visit before does not tell that much.
    expect(estimateRate(after([{ days: tenMinutes, changed: true }]))).toBeLessThan(5);
  });

  it('of a page that was never visited is what is typical', () => {
    expect(estimateRate(noHistory)).toBeCloseTo(unknownRate, 3);
    expect(estimateRate(noHistory, 0.02)).toBeCloseTo(0.02, 4);
    expect(typicalRate([0.1, 0.001])).toBeCloseTo(0.01, 6);
    expect(typicalRate([])).toBe(unknownRate);
  });
});

describe('a plan', () => {
  const pages = fc.array(page, { minLength: 5, maxLength: 60 });
  const bounded = (each: { importance: number; rate: number }): BoundedPage => ({ ...each, ...free });

  it('spends its budget and not more, and no even plan is better', () => {
    fc.assert(
      fc.property(pages, fc.double({ min: 0.01, max: 1, noNaN: true }), (each, perPage) => {
        const budget = perPage * each.length;
        const plan = planVisits(each.map(bounded), { ...noShare, budget });
        expect(plan.visits).toBeLessThanOrEqual(budget * 1.000_1);
        const sum = each.reduce((all, one) => all + one.importance, 0);
        const even = each.reduce(
          (all, one) => all + one.importance * perPage * freshDays(one.rate, 1 / perPage),
          0,
        );
        expect(plan.share).toBeGreaterThanOrEqual(even / sum - 0.02);
      }),
      { numRuns: runs(40) },
    );
  });

  it('keeps floors, and the ceilings as far as a part of the budget goes', () => {
    const many = Array.from({ length: 400 }, (_, at): BoundedPage => ({
      ...{ importance: 1 / (1 + at), rate: 1, floor: 2, ceiling: 30 },
    }));
    const plan = planVisits(many, { budget: 20, tolerance: 0, share: null, exploring });
    expect(plan.visits).toBeLessThanOrEqual(20.01);
    expect(plan.leftOut).toBeGreaterThan(100);
    // Four hundred pages on a visit a day: far beyond the ceiling, and not for ever.
    expect(plan.leftOutDays).toBeGreaterThan(100);
    expect(plan.leftOutDays).toBeLessThanOrEqual(400);
  });

  it('spends no more than a wanted share needs', () => {
    const many = Array.from({ length: 200 }, (_, at) => bounded({ importance: 1 / (1 + at), rate: 0.1 }));
    const aim = { ...noShare, budget: 50 };
    const best = planVisits(many, aim);
    const modest = planVisits(many, { ...aim, share: 0.6 });
    expect(best.share).toBeGreaterThan(0.8);
    expect(modest.share).toBeGreaterThanOrEqual(0.6);
    expect(modest.share).toBeLessThan(0.62);
    expect(modest.visits).toBeLessThan(best.visits / 2);
    expect(planVisits(many, { ...aim, share: 0.999 }).share).toBeCloseTo(best.share, 3);
  });

  it('reaches more where copies may be older', () => {
    const many = Array.from({ length: 50 }, () => bounded({ importance: 1, rate: 1 }));
    const shares = [0, 0.5, 2].map(
      (days) => planVisits(many, { ...noShare, budget: 10, tolerance: days }).share,
    );
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(outlook([], 1, { ...noShare, budget: 1 }).share).toBe(1);
  });

  it('is made for more where the last one left some of the budget, within bounds', () => {
    expect(paceAfter(1, 100, 100)).toBe(1);
    expect(paceAfter(1, 100, 64)).toBe(1.25);
    expect(paceAfter(1.9, 100, 0)).toBe(2);
    expect(paceAfter(0.5, 100, 1_000)).toBe(0.5);
    expect(freshAt(1, 2, 3)).toBe(1);
  });
});
