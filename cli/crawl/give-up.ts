/** When a command stops waiting for its crawl: only waiting hosts are left, and no page has come for long. */
import type { CrawlOutlookView } from '../../contracts/http/outlook.ts';

/** Seconds for which `crawl` and `resume` wait by default. */
export const usualPatience = 600;

/**
 * @param patienceSeconds null: wait for ever @returns a function that says whether to give up, by the clock of `nowMs`
 */
export function createPatience(
  patienceSeconds: number | null,
): (pages: number, outlook: Pick<CrawlOutlookView, 'onlyWaiting'> | null, nowMs: number) => boolean {
  let seen = -1;
  let since = 0;
  return (pages, outlook, nowMs) => {
    if (pages !== seen) {
      seen = pages;
      since = nowMs;
    }
    return (
      patienceSeconds !== null && outlook?.onlyWaiting === true && nowMs - since >= patienceSeconds * 1_000
    );
  };
}
