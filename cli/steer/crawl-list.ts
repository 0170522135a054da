/** The crawls that an API has, the latest first. */
import type { CrawlState } from '../../contracts/crawl.ts';
import { crawlList, type CrawlSummary } from '../../contracts/http/crawls.ts';
import { grouped } from '../../domain/counted.ts';
import { openCrawlStates } from '../../domain/crawl-life.ts';
import type { Api } from '../api/api.ts';
import type { Shown } from '../output/table.ts';
import { duration } from '../output/words.ts';

export const mostPerPage = 100;
export const crawlSummary = crawlList.shape.items.element;

export const shownCrawls: Shown<CrawlSummary> = {
  heads: ['crawl', 'state', 'reason', 'pages', 'queued', 'errors', 'time', 'label'],
  row: ({ id, state, reason, pages, ledger, seconds, label }) => [
    id,
    state,
    reason ?? '',
    grouped(pages),
    grouped(ledger.queued + ledger.leased),
    grouped(ledger.dead + ledger.failed),
    seconds === null ? '' : duration(seconds),
    label ?? '',
  ],
  none: 'There is no crawl yet.',
};

/** @param state only crawls in these states, comma-separated */
export const latestCrawls = (api: Api, most: number, state?: string): AsyncGenerator<CrawlSummary> =>
  api.list('/v1/crawls', crawlSummary, { limit: Math.min(most, mostPerPage), state }, { most });

/** Crawls that are not over, newest first: all, or those in the states given. */
export async function openCrawls(
  api: Api,
  states: readonly CrawlState[] = openCrawlStates,
): Promise<readonly CrawlSummary[]> {
  const crawls: CrawlSummary[] = [];
  for await (const crawl of latestCrawls(api, 1_000, states.join(','))) crawls.push(crawl);
  return crawls;
}
