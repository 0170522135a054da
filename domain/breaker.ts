/**
 * A circuit breaker on one dependency of a process. Pure: the caller gives the time, in milliseconds of one clock that
 * never goes back.
 *
 *   closed     calls go through; `faults` faults within `windowMs` open the breaker
 *   open       no call goes through; the next probe is due at `probeAt`
 *   half-open  only one probe is under way; its result closes the breaker, or opens it again for twice as long
 *
 * A breaker that opens again soon after it closed is in the same outage: the outage keeps its beginning, and its waits
 * keep growing. Otherwise a probe that passes while the real work fails would open and close the breaker quickly.
 */

export interface BreakerRules {
  /** Faults within `windowMs` that open the breaker, at least 1. */
  readonly faults: number;
  readonly windowMs: number;
  /** Wait before the first probe; doubled for each further probe, up to `longestProbeMs`. */
  readonly firstProbeMs: number;
  /** Longest wait before a probe. A breaker that opens within this time after it closed is in the same outage. */
  readonly longestProbeMs: number;
}

export interface Outage {
  readonly since: number;
  /** Probes in this outage so far. Includes probes that passed before the breaker opened again. */
  readonly probes: number;
}

export type BreakerState =
  | {
      readonly mode: 'closed';
      /** Times of the faults that still count, oldest first. */
      readonly faultsAt: readonly number[];
      readonly last: (Outage & { readonly closedAt: number }) | null;
    }
  | { readonly mode: 'open'; readonly outage: Outage; readonly probeAt: number }
  | { readonly mode: 'half-open'; readonly outage: Outage };

export const closedBreaker: BreakerState = { mode: 'closed', faultsAt: [], last: null };

/** A call failed by the dependency's fault. Changes nothing unless the breaker is closed: the call began earlier. */
export function afterFault(state: BreakerState, now: number, rules: BreakerRules): BreakerState {
  if (state.mode !== 'closed') return state;
  const faultsAt = [...state.faultsAt.filter((at) => now - at < rules.windowMs), now];
  if (faultsAt.length < rules.faults) return { ...state, faultsAt };
  const { last } = state;
  const sameOutage = last !== null && now - last.closedAt <= rules.longestProbeMs;
  return opened(
    sameOutage ? { since: last.since, probes: last.probes } : { since: now, probes: 0 },
    now,
    rules,
  );
}

/** Half-open if a probe is due; otherwise unchanged. */
export const atProbeTime = (state: BreakerState, now: number): BreakerState =>
  state.mode === 'open' && now >= state.probeAt ? { mode: 'half-open', outage: state.outage } : state;

/** The probe that was under way has ended. */
export function afterProbe(
  state: BreakerState,
  passed: boolean,
  now: number,
  rules: BreakerRules,
): BreakerState {
  if (state.mode !== 'half-open') return state;
  const outage = { ...state.outage, probes: state.outage.probes + 1 };
  if (passed) return { mode: 'closed', faultsAt: [], last: { ...outage, closedAt: now } };
  return opened(outage, now, rules);
}

const opened = (outage: Outage, now: number, rules: BreakerRules): BreakerState => ({
  mode: 'open',
  outage,
  probeAt: now + Math.min(rules.firstProbeMs * 2 ** Math.min(outage.probes, 30), rules.longestProbeMs),
});
