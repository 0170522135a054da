/**
 * A circuit breaker on one thing a process depends on. Pure: times are milliseconds of any one clock that never goes
 * back, told by the caller.
 *
 *   closed     calls go through; so many faults within a window open it
 *   open       nothing goes through; the next probe is due at a time
 *   half-open  one probe is out and nothing else; its answer closes the breaker, or opens it again for twice as long
 *
 * One that opens again soon after it has closed is in the same outage: it keeps its beginning, and its waits go on
 * growing. So a probe that passes where the real work fails does not make the two alternate quickly.
 */

export interface BreakerRules {
  /** Faults within `windowMs` that open it, at least 1. */
  readonly faults: number;
  readonly windowMs: number;
  /** Wait before the first probe; doubled for each further one, up to `longestProbeMs`. */
  readonly firstProbeMs: number;
  /** Also how long after it closed an opening counts as the same outage. */
  readonly longestProbeMs: number;
}

export interface Outage {
  readonly since: number;
  /** Probes it has taken so far, those included that passed in vain. */
  readonly probes: number;
}

export type BreakerState =
  | {
      readonly mode: 'closed';
      /** Times of the faults that still count, in their order. */
      readonly faultsAt: readonly number[];
      readonly last: (Outage & { readonly closedAt: number }) | null;
    }
  | { readonly mode: 'open'; readonly outage: Outage; readonly probeAt: number }
  | { readonly mode: 'half-open'; readonly outage: Outage };

export const closedBreaker: BreakerState = { mode: 'closed', faultsAt: [], last: null };

/** A call failed by the dependency's fault. One that began before the breaker opened changes nothing any more. */
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

/** The probe starts if it is due; else nothing changes. */
export const atProbeTime = (state: BreakerState, now: number): BreakerState =>
  state.mode === 'open' && now >= state.probeAt ? { mode: 'half-open', outage: state.outage } : state;

/** The probe that was out has ended. */
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
