import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  firstVisitSize,
  portionOf,
  sleepsInWorkflow,
  sliceSize,
  stretchedSliceMs,
} from '../../domain/slice.ts';

const ms = fc.integer({ min: 0, max: 86_400_000 });

describe('sliceSize (docs/design.md, "The slice": k = how many fit into the slice at the host’s delay)', () => {
  it.each([
    [10_000, 1_000, 10],
    [10_000, 300, 33],
    [10_000, 3_000, 3],
    // A delay of the slice's length or more: one, so that the workflow's timer sleeps it out.
    [10_000, 10_000, 1],
    [10_000, 60_000, 1],
    // One URL a step, for who wants to watch each.
    [0, 1_000, 1],
    [0, 0, 1],
    // Bounded where nothing paces.
    [10_000, 0, 200],
    [1_000, 0, 50],
  ])('a slice of %i ms at a delay of %i ms takes %i', (sliceMs, delayMs, size) => {
    expect(sliceSize(sliceMs, delayMs)).toBe(size);
  });

  it('is at least one, at most 200, and beyond the first fits into the slice', () => {
    fc.assert(
      fc.property(ms, ms, (sliceMs, delayMs) => {
        const size = sliceSize(sliceMs, delayMs);
        expect(Number.isInteger(size) && size >= 1 && size <= 200).toBe(true);
        if (size > 1) expect(size * delayMs).toBeLessThanOrEqual(sliceMs);
      }),
    );
  });
});

describe('firstVisitSize (docs/design.md, "First visits")', () => {
  it.each([
    // In smaller crawls every host has its workflow.
    [100, 0, 0],
    [101, 0, 200],
    [5_000, 1_000, 10],
    [5_000, 2_500, 4],
    [5_000, 2_501, 0],
    [5_000, 10_000, 0],
  ])('with %i hosts at the door, at a delay of %i ms: %i', (hosts, delayMs, size) => {
    expect(firstVisitSize(hosts, delayMs)).toBe(size);
  });
});

describe('sleepsInWorkflow', () => {
  it.each([
    [0, 10_000, false],
    [9_999, 10_000, false],
    [10_000, 10_000, true],
    [1, 0, true],
    [0, 0, false],
  ])('a wait of %i ms with slices of %i ms: %s', (waitMs, sliceMs, sleeps) => {
    expect(sleepsInWorkflow(waitMs, sliceMs)).toBe(sleeps);
  });
});

describe('portionOf', () => {
  it.each([
    [10_000, 10_000, 10_000],
    [10_000, 30_000, 30_000],
    [10_000, 900_000, 120_000],
    [180_000, 900_000, 180_000],
    [0, 0, 0],
  ])('of slices of %i ms, stretched to %i ms, URLs of %i ms are leased', (sliceMs, stretched, portion) => {
    expect(portionOf(sliceMs, stretched)).toBe(portion);
  });
});

describe('stretchedSliceMs (docs/design.md, "Long visits": about one in four seconds and core)', () => {
  it('stays as set while hosts are few', () => {
    expect(stretchedSliceMs(10_000, 5, 2)).toBe(10_000);
    expect(stretchedSliceMs(10_000, 10, 2)).toBe(20_000);
    expect(stretchedSliceMs(0, 10_000, 1)).toBe(0);
  });

  it('keeps slices below one in four seconds and core up to three quarters of an hour, and none shorter than set', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 600_000 }),
        fc.integer({ min: 0, max: 100_000 }),
        fc.integer({ min: 1, max: 64 }),
        (sliceMs, hosts, cores) => {
          const stretched = stretchedSliceMs(sliceMs, hosts, cores);
          expect(stretched).toBeGreaterThanOrEqual(sliceMs);
          const perCore = hosts / (stretched / 1_000) / cores;
          expect(perCore <= 0.250001 || stretched >= 2_700_000).toBe(true);
          expect(stretched).toBeLessThanOrEqual(Math.max(sliceMs, 2_700_000));
        },
      ),
    );
  });
});
