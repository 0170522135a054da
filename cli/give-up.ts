/** When a command stops waiting for its crawl: nothing but waiting hosts is left, and no page has come for long. */
import type { CrawlOutlookView } from '../contracts/http/outlook.ts';

/** Seconds for which `crawl` and `resume` wait unless told otherwise. */
export const usualPatience = 600;

/** @param patienceSeconds null: it waits for ever @returns whether to give up, by the clock of `nowMs` */
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
