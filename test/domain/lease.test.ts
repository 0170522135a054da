import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHeld, leaseMarginMs, mayStartRequest, type HeldLease } from '../../domain/lease.ts';

const lease: HeldLease = { monotonicAt: 1_000, wallAt: 1_800_000_000_000, leaseMs: 8_000 };
const after = (ms: number, wallMs = ms): boolean =>
  mayStartRequest(lease, lease.monotonicAt + ms, lease.wallAt + wallMs);

describe('mayStartRequest (docs/design.md, "Crash safety")', () => {
  it('allows a request until a margin before the end', () => {
    expect(leaseMarginMs(8_000)).toBe(2_000);
    expect(after(0)).toBe(true);
    expect(after(5_999)).toBe(true);
    expect(after(6_000)).toBe(false);
    expect(after(8_000)).toBe(false);
  });

  it('notices a machine that was suspended: its monotonic clock stood still', () => {
    expect(after(10, 60_000)).toBe(false);
  });

  it('notices a frozen process whose wall clock was set back meanwhile', () => {
    expect(after(60_000, 10)).toBe(false);
    expect(after(60_000, -60_000)).toBe(false);
  });

  it('never allows one within the margin, by either clock', () => {
    const ms = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), ms, ms, (leaseMs, monotonic, wall) => {
        const held = { ...lease, leaseMs };
        const may = mayStartRequest(held, held.monotonicAt + monotonic, held.wallAt + wall);
        if (may) expect(Math.max(monotonic, wall)).toBeLessThan(leaseMs - leaseMarginMs(leaseMs));
        if (monotonic < 0 && wall < 0) expect(may).toBe(false);
      }),
    );
  });
});

describe('isHeld', () => {
  const held = (ms: number, wallMs = ms): boolean =>
    isHeld(lease, lease.monotonicAt + ms, lease.wallAt + wallMs);

  it('lasts to the very end, and not beyond, by the more careful of two clocks', () => {
    expect(held(7_999)).toBe(true);
    expect(held(8_000)).toBe(false);
    expect(held(10, 8_000)).toBe(false);
    expect(held(8_000, 10)).toBe(false);
    expect(held(-1, -1)).toBe(false);
  });

  it('holds wherever a request may start', () => {
    const ms = fc.integer({ min: -10_000, max: 10_000 });
    fc.assert(
      fc.property(ms, ms, (monotonic, wall) => {
        if (after(monotonic, wall)) expect(held(monotonic, wall)).toBe(true);
      }),
    );
  });
});
