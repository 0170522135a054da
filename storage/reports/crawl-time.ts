/** Where the time of a crawl goes, which hosts hold it up, and when it will be over (G14). */
import { wholeConfig } from '../../contracts/crawl.ts';
import type { CrawlTimeView } from '../../contracts/http/crawl-time.ts';
import {
  causesOf,
  etaOf,
  holderOf,
  renderingBecause,
  shownHolder,
  timeSummary,
  type Eta,
  type Holder,
} from '../../domain/explain/crawl-time.ts';
import { outageBecause, type Outage } from '../../domain/outage.ts';
import { slowedBecause, stagesOf } from '../../domain/pressure.ts';
import { totalTime } from '../../domain/time-lost.ts';
import { crawlOutlook, loadCrawls, recentRate, type CrawlOutlook } from '../crawls/index.ts';
import { currentOutages, measureLoads } from '../instance/index.ts';
import type { Queryable } from '../postgres/index.ts';
import { timesOfCrawl } from '../times/index.ts';
import { holdingHosts } from './crawl-time.sql.ts';

/** Hosts that are named, and hosts that are compared: opening times and quotas may change their order. */
const named = 10;
const compared = 100;
/** Hosts where it is looked what they wait for now. Shares are known to two percent by so many. */
const lookedAt = 2_000;
/** Seconds over which it is measured how fast the crawl goes. */
const rateSeconds = 60;

interface CrawlEnd {
  /** The hosts that take longest, the longest first, and how many hosts have URLs left. */
  readonly holders: readonly Holder[];
  readonly unfinished: number;
  readonly outages: readonly Outage[];
  readonly eta: Eta | null;
}

/** When a crawl will be over and who holds it up: `status`, `explain` and reports all ask here. */
export async function endOf(
  db: Queryable,
  crawlId: string,
  crawl: CrawlOutlook,
  now: number,
): Promise<CrawlEnd> {
  const id = Number(crawlId);
  const [row] = await loadCrawls(db, [id]);
  const { maxPages, maxSeconds } = wholeConfig(row?.config ?? {});
  const holding = await holdingHosts(db, crawlId, compared);
  const runs = crawl.state === 'running';
  const outages = runs ? await currentOutages(db) : [];
  const [rate] = runs ? await recentRate(db, crawlId, rateSeconds) : [];
  const outage = outageBecause(outages);
  const facts = {
    now,
    runs,
    outage,
    runningMs: crawl.running_ms ?? 0,
    limits: { maxPages, maxSeconds },
    pages: crawl.pages,
    settled: crawl.done,
    recentPerSecond: rate?.per_second ?? 0,
    unfinished: { hosts: holding[0]?.of_hosts ?? 0, urls: holding[0]?.of_urls ?? 0 },
    holders: holding,
  };
  const holders = facts.holders
    .map((host) => holderOf(host, now, outage !== null))
    .sort((a, b) => (b.secondsLeft ?? Infinity) - (a.secondsLeft ?? Infinity));
  return {
    holders: holders.map(shownHolder),
    unfinished: facts.unfinished.hosts,
    outages,
    eta: etaOf(facts, holders),
  };
}

/** Null: there is no such crawl. */
export async function timeOf(db: Queryable, crawlId: string, at: Date): Promise<CrawlTimeView | null> {
  const [crawl] = await crawlOutlook(db, Number(crawlId));
  if (crawl === undefined) return null;
  const [times] = await timesOfCrawl(db, crawlId, lookedAt);
  const { looked_at: hosts = 0, hosts_with_work: of = 0, ...spent } = times ?? {};
  const looked = hosts < of ? { hosts, of } : null;
  const { holders, unfinished, outages, eta } = await endOf(db, crawlId, crawl, at.getTime());
  const loads = crawl.state === 'running' ? await measureLoads(db) : [];
  return {
    crawlId,
    at: at.toISOString(),
    state: crawl.state,
    seconds: Math.round(totalTime(spent) * 1_000) / 1_000,
    summary: [slowedBecause(loads), timeSummary(spent, eta, looked), renderingBecause(crawl.rendering)]
      .filter((part) => part !== null)
      .join(' '),
    causes: causesOf(spent),
    looked,
    hosts: { unfinished, items: holders.slice(0, named) },
    stages: stagesOf(loads),
    outages: [...outages],
    eta,
  };
}
