/** Where the time of a crawl goes, which hosts hold it up, and when it will be over (G14). */
import { wholeConfig } from '../../contracts/crawl.ts';
import type { CrawlTimeView } from '../../contracts/http/crawl-time.ts';
import { causesOf, etaOf, holderOf, timeSummary } from '../../domain/explain/crawl-time.ts';
import { totalTime } from '../../domain/time-lost.ts';
import { crawlOutlook, loadCrawls } from '../crawls/index.ts';
import type { Queryable } from '../postgres/index.ts';
import { timesOfCrawl } from '../times/index.ts';
import { holdingHosts } from './crawl-time.sql.ts';

/** Hosts that are named, and hosts that are compared: opening times and quotas may change their order. */
const named = 10;
const compared = 100;

/** Null: there is no such crawl. */
export async function timeOf(db: Queryable, crawlId: string, at: Date): Promise<CrawlTimeView | null> {
  const id = Number(crawlId);
  const [crawl] = await crawlOutlook(db, id);
  const [row] = await loadCrawls(db, [id]);
  if (crawl === undefined || row === undefined) return null;
  const [spent = {}] = await timesOfCrawl(db, crawlId);
  const holding = await holdingHosts(db, crawlId, compared);
  const now = at.getTime();
  const { maxPages, maxSeconds } = wholeConfig(row.config);
  const facts = {
    ...{ now, spent, runs: crawl.state === 'running', runningMs: crawl.running_ms ?? 0 },
    ...{ pages: crawl.pages, settled: crawl.done, limits: { maxPages, maxSeconds } },
    unfinished: { hosts: holding[0]?.of_hosts ?? 0, urls: holding[0]?.of_urls ?? 0 },
    holders: holding.map((host) => ({
      ...{ origin: host.origin, left: host.left, standing: host.standing, lastError: host.last_error },
      ...{ waitMs: host.wait_ms, eachMs: host.each_ms, settings: host.settings, spent: host.spent },
      ...{ requestsDay: host.requests_day, requestsUsed: host.requests_used },
    })),
  };
  const holders = facts.holders
    .map((host) => holderOf(host, now))
    .sort((a, b) => (b.secondsLeft ?? Infinity) - (a.secondsLeft ?? Infinity));
  const eta = etaOf(facts, holders);
  return {
    ...{ crawlId, at: at.toISOString(), state: crawl.state },
    seconds: Math.round(totalTime(spent) * 1_000) / 1_000,
    summary: timeSummary(spent, eta),
    causes: causesOf(spent),
    hosts: { unfinished: facts.unfinished.hosts, items: holders.slice(0, named) },
    eta,
  };
}
