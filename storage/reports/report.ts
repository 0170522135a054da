/** The report of a crawl (F38): what the crawl did and what came of it, as of this moment if it still runs. */
import type { CrawlReport } from '../../contracts/http/report.ts';
import { timeOf } from './crawl-time.ts';
import { viewCrawl } from '../crawls/index.ts';
import { allowWalk, inTransaction, type Pool, type Queryable } from '../postgres/index.ts';
import { freshnessSamples } from '../recrawl/index.ts';
import {
  countForgotten,
  reportCounts,
  type ReportCount,
  reportExtremes,
  type ReportExtreme,
  reportHosts,
  type ReportHost,
  reportPages,
  reportRendering,
} from './report.sql.ts';

/** Null: there is no such crawl. Walks over all URLs of the crawl; nothing waits for that. Each list is bounded. */
export function reportCrawl(pool: Pool, crawlId: string, at: Date): Promise<CrawlReport | null> {
  return inTransaction(pool, async (db) => {
    // All figures come from one snapshot, so that they add up while the crawl runs.
    await db.query('set transaction isolation level repeatable read, read only');
    await allowWalk(db);
    return reportOf(db, crawlId, at);
  });
}

/** A day of samples. */
const shownSamples = 24;

async function reportOf(db: Queryable, crawlId: string, at: Date): Promise<CrawlReport | null> {
  const crawl = await viewCrawl(db, crawlId);
  if (crawl === null) return null;
  const counts = await reportCounts(db, crawlId);
  const hosts = await reportHosts(db, crawlId);
  const extremes = await reportExtremes(db, crawlId);
  const languages = await reportPages(db, crawlId);
  const [rendered] = await reportRendering(db, crawlId);
  if (rendered === undefined) throw new Error('Postgres returned no row for what was rendered');
  const [gone] = await countForgotten(db, crawlId);
  const time = await timeOf(db, crawlId, at);
  if (time === null) return null;

  const groups = (kind: ReportCount['kind']): ReportCount[] => counts.filter((row) => row.kind === kind);
  const ofHosts = (list: ReportHost['list']) => hosts.filter((row) => row.list === list).map(hostLine);
  const ofUrls = (list: ReportExtreme['list']) => extremes.filter((row) => row.list === list).map(urlLine);
  const duplicates = groups('all')[0]?.duplicates ?? 0;
  const sameText = languages[0]?.all_duplicates ?? 0;
  const { id, label, createdAt, startedAt, endedAt, seconds } = crawl;
  const { ledger, pages, pending, fetches, bytes, seeds, deadLetters } = crawl;
  return {
    at: at.toISOString(),
    crawl: { id, label, state: crawl.state, reason: crawl.reason, createdAt, startedAt, endedAt, seconds },
    totals: {
      ledger,
      pages,
      pending,
      fetches,
      bytes,
      forgotten: gone?.urls ?? 0,
      hosts: crawl.hosts.total,
      pagesPerSecond: seconds === null || seconds === 0 ? null : pages / seconds,
      duplicates: { body: duplicates - sameText, text: sameText },
      seeds: { accepted: seeds.accepted, rejected: seeds.rejected },
    },
    time: {
      seconds: time.seconds,
      summary: time.summary,
      causes: time.causes,
      hosts: time.hosts,
      eta: time.eta,
    },
    stages: crawl.stages,
    states: groups('state').flatMap(({ state, reason, urls }) =>
      state === null ? [] : [{ state, reason, urls }],
    ),
    statuses: groups('status').map((row) => ({ status: row.status ?? 0, urls: row.urls, bytes: row.bytes })),
    types: groups('type').map((row) => ({ type: row.type ?? '', urls: row.urls, bytes: row.bytes })),
    depths: groups('depth')
      .map((row) => ({ depth: row.depth ?? 0, urls: row.urls }))
      .sort((a, b) => a.depth - b.depth),
    languages: languages.map((row) => ({ language: row.language, pages: row.pages })),
    deadLetters,
    rejectedSeeds: seeds.firstRejected,
    freshness: await freshnessSamples(db, crawlId, shownSamples),
    hosts: { busiest: ofHosts('busiest'), failing: ofHosts('failing'), slowest: ofHosts('slowest') },
    urls: { slowest: ofUrls('slowest'), biggest: ofUrls('biggest') },
    rendering: { waiting: crawl.rendering, ...rendered },
    keptBack: crawl.keptBack,
    cut: crawl.cut,
    of: {
      states: ofAll(groups('state')),
      statuses: ofAll(groups('status')),
      types: ofAll(groups('type')),
      depths: ofAll(groups('depth')),
      languages: ofAll(languages),
      hosts: {
        busiest: ofAll(hosts.filter(({ list }) => list === 'busiest')),
        failing: ofAll(hosts.filter(({ list }) => list === 'failing')),
        slowest: ofAll(hosts.filter(({ list }) => list === 'slowest')),
      },
      urls: {
        slowest: ofAll(extremes.filter(({ list }) => list === 'slowest')),
        biggest: ofAll(extremes.filter(({ list }) => list === 'biggest')),
      },
    },
  };
}

const ofAll = (rows: readonly { readonly of_all: number }[]): number => rows[0]?.of_all ?? 0;

const whole = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

function hostLine({ origin, urls, answered, lost, bytes, took_ms }: ReportHost) {
  return { host: origin, urls, answered, lost, bytes, meanMs: whole(took_ms) };
}

function urlLine({ url, status, content_type, bytes, took_ms }: ReportExtreme) {
  return { url, status, contentType: content_type, bytes, ms: whole(took_ms) };
}
