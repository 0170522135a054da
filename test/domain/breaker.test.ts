import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFault,
  afterProbe,
  atProbeTime,
  closedBreaker,
  type BreakerRules,
  type BreakerState,
} from '../../domain/breaker.ts';

const rules: BreakerRules = { faults: 3, windowMs: 1_000, firstProbeMs: 500, longestProbeMs: 4_000 };

const faults = (state: BreakerState, ...times: readonly number[]): BreakerState =>
  times.reduce((before, now) => afterFault(before, now, rules), state);

/** The time of the next probe; the breaker has to be open. */
const probeTime = (state: BreakerState): number => (state.mode === 'open' ? state.probeAt : NaN);

/** Lets each probe fail at once; answers the waits between them. */
function waits(state: BreakerState, probes: number): number[] {
  const all: number[] = [];
  let [now, current] = [state.mode === 'open' ? state.outage.since : 0, state];
  for (let probe = 0; probe < probes; probe++) {
    const at = probeTime(current);
    all.push(at - now);
    now = at;
    current = afterProbe(atProbeTime(current, now), false, now, rules);
  }
  return all;
}

describe('a breaker', () => {
  it('opens at so many faults within its window', () => {
    expect(faults(closedBreaker, 0, 10).mode).toBe('closed');
    expect(faults(closedBreaker, 0, 10, 20)).toEqual({
      mode: 'open',
      outage: { since: 20, probes: 0 },
      probeAt: 520,
    });
  });

  it('stays closed where they come further apart', () => {
    expect(faults(closedBreaker, 0, 600, 1_200, 1_800, 2_400).mode).toBe('closed');
  });

  it('does not count those of calls that began before it opened', () => {
    const open = faults(closedBreaker, 0, 1, 2);
    expect(faults(open, 3, 4, 5, 6)).toBe(open);
  });

  it('probes when the time has come, and once at a time', () => {
    const open = faults(closedBreaker, 0, 0, 0);
    expect(atProbeTime(open, 499)).toBe(open);
    const half = atProbeTime(open, 500);
    expect(half.mode).toBe('half-open');
    expect(atProbeTime(half, 9_999)).toBe(half);
  });

  it('waits twice as long after each probe that fails, up to a limit', () => {
    expect(waits(faults(closedBreaker, 0, 0, 0), 6)).toEqual([500, 1_000, 2_000, 4_000, 4_000, 4_000]);
  });

  it('closes by a probe that passes, and counts faults anew', () => {
    const closed = afterProbe(atProbeTime(faults(closedBreaker, 0, 0, 0), 500), true, 510, rules);
    expect(faults(closed, 511, 512).mode).toBe('closed');
  });

  it('that opens again soon is in the same outage, and waits longer', () => {
    const closed = afterProbe(atProbeTime(faults(closedBreaker, 7, 7, 7), 507), true, 510, rules);
    expect(faults(closed, 600, 601, 602)).toMatchObject({
      outage: { since: 7, probes: 1 },
      probeAt: 602 + 1_000,
    });
    expect(faults(closed, 9_000, 9_000, 9_000)).toMatchObject({ outage: { since: 9_000, probes: 0 } });
  });
});

type Step = { readonly kind: 'fault' | 'look' | 'passes' | 'fails'; readonly afterMs: number };
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>('fault', 'look', 'passes', 'fails'),
    afterMs: fc.nat({ max: 3_000 }),
  }),
  { maxLength: 60 },
);
const anyRules = fc.record({
  faults: fc.integer({ min: 1, max: 5 }),
  windowMs: fc.integer({ min: 1, max: 3_000 }),
  firstProbeMs: fc.integer({ min: 1, max: 1_000 }),
  longestProbeMs: fc.integer({ min: 1_000, max: 8_000 }),
});

const take = (state: BreakerState, { kind }: Step, now: number, by: BreakerRules): BreakerState => {
  switch (kind) {
    case 'fault':
      return afterFault(state, now, by);
    case 'look':
      return atProbeTime(state, now);
    case 'passes':
      return afterProbe(state, true, now, by);
    case 'fails':
      return afterProbe(state, false, now, by);
  }
};

describe('whatever happens', () => {
  it('goes closed → open → half-open → closed or open, and no other way', () => {
    const ways = new Set(['closed open', 'open half-open', 'half-open closed', 'half-open open']);
    fc.assert(
      fc.property(steps, anyRules, (path, by) => {
        let [state, now] = [closedBreaker, 0];
        for (const step of path) {
          now += step.afterMs;
          const next = take(state, step, now, by);
          if (next.mode !== state.mode) expect(ways).toContain(`${state.mode} ${next.mode}`);
          state = next;
        }
      }),
    );
  });

  it('an open one looks again within the longest wait, and not at once', () => {
    fc.assert(
      fc.property(steps, anyRules, (path, by) => {
        let [state, now] = [closedBreaker, 0];
        for (const step of path) {
          now += step.afterMs;
          const next = take(state, step, now, by);
          if (next.mode === 'open' && next !== state) {
            expect(next.probeAt - now).toBeGreaterThanOrEqual(by.firstProbeMs);
            expect(next.probeAt - now).toBeLessThanOrEqual(Math.max(by.longestProbeMs, by.firstProbeMs));
            expect(next.outage.since).toBeLessThanOrEqual(now);
          }
          state = next;
        }
      }),
    );
  });

  it('opens by as many faults in its window as the rules say, and by no fewer', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 2_000 }), { maxLength: 30 }), anyRules, (gaps, by) => {
        let [state, now] = [closedBreaker, 0];
        const times: number[] = [];
        for (const gap of gaps) {
          now += gap;
          times.push(now);
          state = afterFault(state, now, by);
          const recent = times.filter((at) => now - at < by.windowMs).length;
          expect(state.mode).toBe(recent >= by.faults ? 'open' : 'closed');
          if (state.mode === 'open') return;
        }
      }),
    );
  });
});
