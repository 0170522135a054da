/** Where the time of a crawl goes, which hosts hold it up, and when it will be over (G14). */
import { wholeConfig } from '../../contracts/crawl.ts';
import type { CrawlTimeView } from '../../contracts/http/crawl-time.ts';
import { causesOf, etaOf, holderOf, timeSummary } from '../../domain/explain/crawl-time.ts';
import { slowedBecause, stagesOf } from '../../domain/pressure.ts';
import { totalTime } from '../../domain/time-lost.ts';
import { crawlOutlook, loadCrawls } from '../crawls/index.ts';
import { measureLoads } from '../instance/index.ts';
import type { Queryable } from '../postgres/index.ts';
import { timesOfCrawl } from '../times/index.ts';
import { holdingHosts } from './crawl-time.sql.ts';

/** Hosts that are named, and hosts that are compared: opening times and quotas may change their order. */
const named = 10;
const compared = 100;
/** Hosts where it is looked what they wait for now. Shares are known to two percent by so many. */
const lookedAt = 2_000;

/** Null: there is no such crawl. */
export async function timeOf(db: Queryable, crawlId: string, at: Date): Promise<CrawlTimeView | null> {
  const id = Number(crawlId);
  const [crawl] = await crawlOutlook(db, id);
  const [row] = await loadCrawls(db, [id]);
  if (crawl === undefined || row === undefined) return null;
  const [times] = await timesOfCrawl(db, crawlId, lookedAt);
  const { looked_at: hosts = 0, hosts_with_work: of = 0, ...spent } = times ?? {};
  const looked = hosts < of ? { hosts, of } : null;
  const holding = await holdingHosts(db, crawlId, compared);
  const loads = crawl.state === 'running' ? await measureLoads(db) : [];
  const now = at.getTime();
  const { maxPages, maxSeconds } = wholeConfig(row.config);
  const facts = {
    ...{ now, spent, runs: crawl.state === 'running', runningMs: crawl.running_ms ?? 0 },
    ...{ pages: crawl.pages, settled: crawl.done, limits: { maxPages, maxSeconds } },
    unfinished: { hosts: holding[0]?.of_hosts ?? 0, urls: holding[0]?.of_urls ?? 0 },
    holders: holding.map((host) => ({
      ...{ origin: host.origin, left: host.left, standing: host.standing, lastError: host.last_error },
      ...{ waitMs: host.wait_ms, eachMs: host.each_ms, settings: host.settings, spent: host.spent },
      ...{
        requestsDay: host.requests_day,
        requestsUsed: host.requests_used,
        budget: host.budget,
        lentMs: host.lent_ms,
      },
    })),
  };
  const holders = facts.holders
    .map((host) => holderOf(host, now))
    .sort((a, b) => (b.secondsLeft ?? Infinity) - (a.secondsLeft ?? Infinity));
  const eta = etaOf(facts, holders);
  return {
    ...{ crawlId, at: at.toISOString(), state: crawl.state },
    seconds: Math.round(totalTime(spent) * 1_000) / 1_000,
    summary: [slowedBecause(loads), timeSummary(spent, eta, looked)]
      .filter((part) => part !== null)
      .join(' '),
    causes: causesOf(spent),
    looked,
    hosts: { unfinished: facts.unfinished.hosts, items: holders.slice(0, named) },
    stages: stagesOf(loads),
    eta,
  };
}
