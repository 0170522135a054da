/** How many URLs of a host's queue a slice takes (docs/design.md, "The slice"). */

/** Most URLs leased together. Bounds what a crash puts back into the queue, and what one extraction has to read. */
const maxSliceUrls = 200;
/** Milliseconds that one exchange takes at a quick host: bounds slices if the delay is 0. */
const quickExchangeMs = 20;

/**
 * URLs that fit into `sliceMs` at the host's delay, at least 1. The result is 1 for `sliceMs = 0`, and for a delay of
 * `sliceMs` or more.
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

/**
 * Before its first request a visit does not wait for `sliceMs` (as set, not stretched) or longer: the workflow's timer
 * does, and whoever else wants the host may have it meanwhile.
 */
export const sleepsInWorkflow = (waitMs: number, sliceMs: number): boolean => waitMs > 0 && waitMs >= sliceMs;

/**
 * Slices that a core is to begin in a second. Each costs a workflow task or three, an activity and a dozen statements: 50 to
 * 150 ms of processor time. So few take one to four hundredths of a core (docs/design.md, "Long visits").
 */
const slicesPerCore = 0.25;
/** Most milliseconds of a stretched slice: bounds how old the figures on a host's desk get. */
export const longestVisitMs = 2_700_000;
/** A visit leases the URLs of so many milliseconds at a time: newly found URLs of more worth do not wait for its end. */
const portionMs = 120_000;

/** @param sliceMs as set @param stretchedMs as stretched for this visit */
export const portionOf = (sliceMs: number, stretchedMs: number): number =>
  Math.min(stretchedMs, Math.max(sliceMs, portionMs));

/** A process that has met fewer hosts lately leaves the first visit of each to the host's workflow. */
const manyHosts = 100;
/** A first visit at the door fetches for no longer than this, in milliseconds, and at hosts where so many URLs fit in. */
export const firstVisitMs = 10_000;
const fewestUrls = 4;

/**
 * Most URLs queued at a host that the door fetches itself, so that a host of a few pages costs no workflow; 0: none.
 * @param hosts that the process has met at the door lately
 */
export function firstVisitSize(hosts: number, delayMs: number): number {
  const size = sliceSize(firstVisitMs, delayMs);
  return hosts > manyHosts && size >= fewestUrls ? size : 0;
}

/**
 * Slices get longer with the number of hosts at work, so that a page costs the same however many slow hosts there are.
 * `sliceMs = 0`, one URL per step, stays 0.
 */
export function stretchedSliceMs(sliceMs: number, hosts: number, cores: number): number {
  if (sliceMs === 0) return 0;
  const stretched = (hosts / (slicesPerCore * cores)) * 1_000;
  return Math.max(sliceMs, Math.min(stretched, longestVisitMs));
}
