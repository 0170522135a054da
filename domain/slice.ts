/** How much of a host's queue is taken at once (docs/design.md, "The slice"). */

/** URLs leased together at most: what a crash puts back into the queue, and what one extraction has to read. */
const maxSliceUrls = 200;
/** What one exchange takes at a quick host, in milliseconds: keeps slices bounded where the delay is 0. */
const quickExchangeMs = 20;

/**
 * URLs that fit into `sliceMs` at the host's delay, at least 1. `sliceMs = 0` gives one URL a step; a delay of the
 * slice's length or more does too, so that the workflow's timer sleeps out every crawl-delay.
 */
export function sliceSize(sliceMs: number, delayMs: number): number {
  const fit = Math.floor(sliceMs / Math.max(delayMs, quickExchangeMs));
  return Math.min(Math.max(fit, 1), maxSliceUrls);
}

/**
 * Turns that fit into a slice for a crawl that waits for its own delay, on top of the host's.
 * @param waitMs until its next one; @param delayMs between two of them
 */
export const turnsWithin = (sliceMs: number, waitMs: number, delayMs: number): number =>
  waitMs > sliceMs ? 0 : 1 + Math.floor((sliceMs - waitMs) / Math.max(delayMs, quickExchangeMs));

/** A host that has nothing to do but wait for a crawl's turn is given back to the scheduler for a longer wait. */
export const longestTurnWaitMs = 60_000;

/** A wait longer than a slice is slept out by the workflow's timer, not by an activity that holds a worker. */
export const sleepsInWorkflow = (waitMs: number, sliceMs: number): boolean => waitMs > 0 && waitMs >= sliceMs;

/** Slices a second one core of the Temporal server carries without becoming the bottleneck (docs/design.md, "The slice"). */
const slicesPerCore = 20;

/** The slice gets longer with the number of hosts being worked; `sliceMs = 0`, one URL a step, stays. */
export const stretchedSliceMs = (sliceMs: number, hosts: number, cores: number): number =>
  sliceMs === 0 ? 0 : Math.max(sliceMs, (hosts / (slicesPerCore * cores)) * 1_000);
