/** When webhooks are tried again (F38). Ours: the specification leaves the schedule open. */
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { maxAskedMs, restMs, retryDelayMs, webhookAttempts } from '../../domain/webhook-retry.ts';

const hour = 3_600_000;

describe('the attempts at an event', () => {
  it('are ever further apart, and take more than a day and less than two', () => {
    const delays = Array.from({ length: webhookAttempts - 1 }, (_, index) => retryDelayMs(index + 1));
    expect(delays.slice(0, 4)).toEqual([10_000, 30_000, 90_000, 270_000]);
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    const whole = delays.reduce((sum, each) => sum + each, 0);
    expect(whole / hour).toBeGreaterThan(24);
    expect(whole / hour).toBeLessThan(48);
  });
});

describe('the rest of a receiver that fails', () => {
  it('grows from a second to ten minutes, and is never less than what it asks for, up to six hours', () => {
    expect([1, 2, 3].map((failures) => restMs(failures, null))).toEqual([1_000, 2_000, 4_000]);
    fc.assert(
      fc.property(fc.nat(1e9), fc.option(fc.nat(1e12)), (failures, asked) => {
        const rest = restMs(failures, asked);
        expect(rest).toBeGreaterThanOrEqual(Math.min(asked ?? 0, maxAskedMs));
        expect(rest).toBeGreaterThanOrEqual(1_000);
        expect(rest).toBeLessThanOrEqual(Math.max(600_000, maxAskedMs));
        if (asked === null) expect(rest).toBeLessThanOrEqual(restMs(failures + 1, null));
      }),
    );
  });
});
