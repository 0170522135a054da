/** When a crawl is over, judged by one snapshot of its ledger. */

import type { CrawlEnding } from './crawl-life.ts';
import { metBy, type FinishCriteria } from './finish-criteria.ts';

export interface CrawlStanding {
  readonly queued: number;
  readonly leased: number;
  /** Fetched bodies that wait for dedup or extraction, and may still bring links. */
  readonly pending: number;
  /** Pages fetched. */
  readonly pages: number;
  /** How many of `queued` are at parked hosts: they wait for a person, or for a probe that is answered. */
  readonly parked: number;
  readonly runningMs: number;
  readonly bytes: number;
  /** Pages by counter (finish-criteria.ts). */
  readonly counters: Readonly<Record<string, number>>;
}

export interface CrawlLimits {
  readonly maxPages: number | null;
  readonly maxSeconds: number | null;
  readonly finish: FinishCriteria | null;
}

export interface FinishVerdict {
  readonly verdict: 'going' | Extract<CrawlEnding, 'complete' | `limit:${string}`>;
  /** Which finish criteria were met, in words. */
  readonly met?: string;
}

/** If a limit is reached and nothing is left to do, the verdict is `complete`: the limit cut nothing off. */
export function judgeFinish(standing: CrawlStanding, limits: CrawlLimits): FinishVerdict {
  const live = standing.queued - standing.parked + standing.leased + standing.pending;
  if (live <= 0) return { verdict: 'complete' };
  if (limits.maxPages !== null && standing.pages >= limits.maxPages) return { verdict: 'limit:max-pages' };
  if (limits.maxSeconds !== null && standing.runningMs >= limits.maxSeconds * 1_000) {
    return { verdict: 'limit:max-seconds' };
  }
  const met = limits.finish === null ? null : metBy(limits.finish, { ...standing, exhausted: false });
  return met === null ? { verdict: 'going' } : { verdict: 'limit:finish-criteria', met };
}
