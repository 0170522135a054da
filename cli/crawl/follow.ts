/** Looks at a crawl until its end, or until a command stops waiting: only waiting hosts are left, and no page has come for long. */
import { setTimeout as sleep } from 'node:timers/promises';
import { closedCrawlStates } from '../../contracts/crawl.ts';
import { crawlView, type CrawlView } from '../../contracts/http/crawls.ts';
import { crawlOutlookView, type CrawlOutlookView, type ParkedHost } from '../../contracts/http/outlook.ts';
import type { Api } from '../api/api.ts';
import type { Outlast } from '../api/outages.ts';
import { mayPass, type Asking, type Query } from '../api/request.ts';
import type { Progress } from './progress.ts';

/**
 * Milliseconds between two looks at the crawl, at least: after a look that took long, because the crawl is large or the
 * machine busy, so many times as long as it took.
 */
const [pollMs, restFactor, longestRestMs] = [500, 5, 5_000];
/** Milliseconds between two looks at what the crawl waits for. */
const outlookMs = 2_000;
/** For requests whose caller can go on without an answer: they are not sent again. */
export const atOnce: Asking = { patienceMs: 0 };
/** Waiting hosts that are named, at most. */
const namedHosts = 10;
/** Parked hosts that are reported, at most. */
const mostParked = 100;

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

interface Followed {
  /** The crawl, once it is closed or was given up; null: interrupted before that. */
  readonly ended: Promise<CrawlView | null>;
  /** What the crawl waits for, if it was given up. */
  gaveUp(): CrawlOutlookView | null;
  /** The crawl as it was seen last; null: it was not seen yet. */
  latest(): CrawlView | null;
}

/** Waits for an API that is away. */
export function follow(
  api: Api,
  id: string,
  progress: Progress,
  outlast: Outlast,
  signal: AbortSignal,
  isEnough: ReturnType<typeof createPatience>,
): Followed {
  let latest: CrawlView | null = null;
  let outlook: CrawlOutlookView | null = null;
  let outlookAt = -Infinity;
  let gaveUp: CrawlOutlookView | null = null;
  const look = async (): Promise<CrawlView | null> => {
    while (!signal.aborted) {
      const asking = { ...atOnce, signal };
      const lookedAt = performance.now();
      const view = await outlast(() => api.get(`/v1/crawls/${id}`, crawlView, {}, asking), signal);
      if (view === null) return null;
      latest = view;
      if (closedCrawlStates.includes(view.state)) return view;
      if (performance.now() - outlookAt >= outlookMs) {
        outlook = await outlookOf(api, id, { limit: namedHosts }, asking).catch(() => null);
        outlookAt = performance.now();
      }
      if (isEnough(view.pages, outlook, performance.now())) {
        gaveUp = outlook;
        return view;
      }
      progress.update(view, outlook);
      const restMs = Math.min(longestRestMs, restFactor * (performance.now() - lookedAt));
      await sleep(Math.max(pollMs, restMs), undefined, { signal }).catch(() => undefined);
    }
    return null;
  };
  const ended = look();
  // The caller may have failed for another reason before it awaits this.
  ended.catch(() => undefined);
  return { ended, latest: () => latest, gaveUp: () => gaveUp };
}

const outlookOf = (api: Api, id: string, query: Query, asking: Asking): Promise<CrawlOutlookView> =>
  api.get(`/v1/crawls/${id}/outlook`, crawlOutlookView, query, asking);

/** None if the API is away: the rest of the summary is shown all the same. */
export async function parkedHosts(api: Api, id: string): Promise<readonly ParkedHost[]> {
  try {
    const query = { limit: mostParked, fields: 'parked' };
    return (await outlookOf(api, id, query, atOnce)).parked ?? [];
  } catch (error) {
    if (mayPass(error)) return [];
    throw error;
  }
}
