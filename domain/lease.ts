/**
 * The exclusive right to send requests to a host (docs/design.md, "Crash safety"). A holder judges its lease by its own
 * two clocks only, and trusts the one that says more time has passed: the monotonic clock does not count time in which
 * the machine was suspended, and the wall clock may be set back.
 */

export interface HeldLease {
  /** Monotonic milliseconds before the statement that took or renewed the lease was sent. */
  readonly monotonicAt: number;
  /** The same instant by the wall clock. */
  readonly wallAt: number;
  readonly leaseMs: number;
}

/** No request starts in this last part of a lease: a request needs time to leave the process and to reach the host. */
export const leaseMarginMs = (leaseMs: number): number => leaseMs / 4;

/** Is the lease still ours? Does not count the margin. */
export function isHeld(lease: HeldLease, monotonicNow: number, wallNow: number): boolean {
  const age = Math.max(monotonicNow - lease.monotonicAt, wallNow - lease.wallAt);
  return age >= 0 && age < lease.leaseMs;
}

/** May a request start now? False for a process that was frozen past its lease. */
export function mayStartRequest(lease: HeldLease, monotonicNow: number, wallNow: number): boolean {
  const age = Math.max(monotonicNow - lease.monotonicAt, wallNow - lease.wallAt);
  return age >= 0 && age < lease.leaseMs - leaseMarginMs(lease.leaseMs);
}
