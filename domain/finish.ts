/** When a crawl is over. Judged on one snapshot of its ledger. */

export interface CrawlStanding {
  readonly queued: number;
  readonly leased: number;
  /** Fetched bodies that wait for dedup or extraction, and may still bring links. */
  readonly pending: number;
  /** Pages fetched. */
  readonly pages: number;
  /** Of the queued: at hosts that are parked, where nothing happens until somebody acts. */
  readonly parked: number;
  readonly runningMs: number;
}

export interface CrawlLimits {
  readonly maxPages: number | null;
  readonly maxSeconds: number | null;
}

export type FinishVerdict = 'going' | 'complete' | 'max-pages' | 'max-seconds';

/** A limit that is reached and nothing left to do at once counts as complete: nothing was cut off. */
export function judgeFinish(standing: CrawlStanding, limits: CrawlLimits): FinishVerdict {
  const live = standing.queued - standing.parked + standing.leased + standing.pending;
  if (live <= 0) return 'complete';
  if (limits.maxPages !== null && standing.pages >= limits.maxPages) return 'max-pages';
  if (limits.maxSeconds !== null && standing.runningMs >= limits.maxSeconds * 1_000) return 'max-seconds';
  return 'going';
}
