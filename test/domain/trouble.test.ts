import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs, holdMs, isSpent, probeWaitMs, troubleClasses } from '../../domain/trouble.ts';

const anyClass = fc.constantFrom(...troubleClasses);
const failures = fc.integer({ min: 0, max: 1_000 });
const day = 86_400_000;

describe('backoffMs (docs/design.md, "Trouble")', () => {
  it.each([
    ['dns-not-found', 0, 2_000],
    ['connect-refused', 3, 16_000],
    ['timeout', 1, 10_000],
    ['overloaded', 0, 5_000],
    // Down for an hour, growing.
    ['server-errors', 0, 3_600_000],
    ['server-errors', 1, 7_200_000],
    ['robots-unreachable', 2, 20_000],
  ] as const)('%s after %i failures: %i ms', (trouble, before, ms) => {
    expect(backoffMs(trouble, before)).toBe(ms);
  });

  it('doubles with each failure, up to a day', () => {
    fc.assert(
      fc.property(anyClass, failures, (trouble, before) => {
        const now = backoffMs(trouble, before);
        const next = backoffMs(trouble, before + 1);
        expect(now).toBeGreaterThan(0);
        expect(now).toBeLessThanOrEqual(day);
        expect(next).toBe(Math.min(2 * now, day));
      }),
    );
  });
});

describe('holdMs', () => {
  it.each([
    [3_600_000, 1, 3_600_000],
    [3_600_000, 2, 7_200_000],
    [10_000, 4, 80_000],
    [3_600_000, 900, day],
    // The host asked for more than a day.
    [3 * day, 2, 3 * day],
    // Well answered while a request was under way.
    [10_000, 0, 10_000],
  ])('%i ms, for the %i. time: %i ms', (waitMs, times, ms) => {
    expect(holdMs(waitMs, times)).toBe(ms);
  });
});

describe('isSpent', () => {
  it.each(troubleClasses)('%s has some tries and not endless ones', (trouble) => {
    expect(isSpent(trouble, 1)).toBe(false);
    expect(isSpent(trouble, 10)).toBe(true);
  });

  it('stays spent', () => {
    fc.assert(
      fc.property(anyClass, failures, (trouble, count) => {
        if (isSpent(trouble, count)) expect(isSpent(trouble, count + 1)).toBe(true);
      }),
    );
  });
});

describe('probeWaitMs', () => {
  const hour = 3_600_000;
  const chance = fc.double({ min: 0, max: 1, noNaN: true });

  it('is about 1 h, 2 h, 4 h … and a day', () => {
    const waits = Array.from({ length: 7 }, (_, probes) => probeWaitMs(hour, probes, 0.5) / hour);
    expect(waits).toEqual([1, 2, 4, 8, 16, 24, 24]);
    expect(probeWaitMs(hour, 100_000, 0.5)).toBe(day);
  });

  it('is spread by a seventh either way, and grows all the same', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1_000, max: day }),
        failures,
        chance,
        chance,
        (first, failed, one, other) => {
          const [middle, wait] = [probeWaitMs(first, failed, 0.5), probeWaitMs(first, failed, one)];
          expect(Math.abs(wait - middle)).toBeLessThanOrEqual(0.15 * middle + 1);
          const next = probeWaitMs(first, failed + 1, other);
          if (middle * 2 <= day) expect(next).toBeGreaterThan(wait);
          expect(next).toBeLessThanOrEqual(1.15 * day + 1);
        },
      ),
    );
  });

  it('of hosts that parked together is due at a time of its own each', () => {
    const waits = Array.from({ length: 1_000 }, (_, at) => probeWaitMs(hour, 0, at / 1_000));
    const seconds = waits.map((ms) => Math.floor(ms / 1_000));
    const inOne = [...Map.groupBy(seconds, (each) => each).values()].map((each) => each.length);
    expect(Math.max(...inOne)).toBeLessThan(3);
  });
});
