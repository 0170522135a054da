/** How many URLs of a host's queue a slice takes (docs/design.md, "The slice"). */

/** Most URLs leased together. Bounds what a crash puts back into the queue, and what one extraction has to read. */
const maxSliceUrls = 200;
/** Milliseconds that one exchange takes at a quick host: bounds slices if the delay is 0. */
const quickExchangeMs = 20;

/**
 * URLs that fit into `sliceMs` at the host's delay, at least 1. The result is 1 for `sliceMs = 0`, and for a delay of
 * `sliceMs` or more: then the workflow's timer waits out every delay.
 */
export function sliceSize(sliceMs: number, delayMs: number): number {
  const fit = Math.floor(sliceMs / Math.max(delayMs, quickExchangeMs));
  return Math.min(Math.max(fit, 1), maxSliceUrls);
}

/**
 * Turns that fit into a slice for a crawl with a delay of its own, on top of the host's.
 * @param waitMs until the crawl's next turn; @param delayMs between two of its turns
 */
export const turnsWithin = (sliceMs: number, waitMs: number, delayMs: number): number =>
  waitMs > sliceMs ? 0 : 1 + Math.floor((sliceMs - waitMs) / Math.max(delayMs, quickExchangeMs));

/** If a host only waits for a crawl's turn, longer than this, its workflow gives the host back to the scheduler. */
export const longestTurnWaitMs = 60_000;

/** The workflow's timer, not an activity that holds a worker, waits out `sliceMs` or more. */
export const sleepsInWorkflow = (waitMs: number, sliceMs: number): boolean => waitMs > 0 && waitMs >= sliceMs;

/** Slices a second one core of the Temporal server carries without becoming the bottleneck (docs/design.md, "The slice"). */
const slicesPerCore = 20;

/** Slices get longer with the number of hosts at work; `sliceMs = 0`, one URL per step, stays 0. */
export const stretchedSliceMs = (sliceMs: number, hosts: number, cores: number): number =>
  sliceMs === 0 ? 0 : Math.max(sliceMs, (hosts / (slicesPerCore * cores)) * 1_000);
