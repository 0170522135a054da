/** What holds a queued URL back by itself or by its crawl, whatever its host does. */
import { counted } from '../counted.ts';
import { optOutDetail, optOutReason } from '../opt-out.ts';
import { reasonText } from '../url-reason.ts';
import { instantIn, span, type Wait } from './decision.ts';
import type { CrawlFacts, ExplainFacts } from './facts.ts';

export function optedOut({ optedOut: domain }: ExplainFacts): Wait | null {
  if (domain === null) return null;
  return {
    verdict: optOutReason,
    because: `${optOutDetail(domain)} of being crawled: the URL will be excluded on its turn.`,
    inMs: null,
  };
}

export function crawlHalted({ crawl }: ExplainFacts): Wait | null {
  const because = haltSentence(crawl);
  return because === null ? null : { verdict: `crawl-${crawl.state}`, because, inMs: null };
}

/** Null: the crawl sends requests. */
function haltSentence({ state, reason }: CrawlFacts): string | null {
  const why = reason === null ? '' : ` (${reason})`;
  switch (state) {
    case 'running':
      return null;
    case 'seeding':
      return 'The crawl has not begun yet.';
    case 'paused':
      return `The crawl is paused${why}: no request is sent before it is resumed.`;
    case 'draining':
      return `The crawl is ending${why}: what is still queued will be excluded.`;
    case 'finished':
    case 'cancelled':
    case 'failed':
      return `The crawl ${state === 'failed' ? 'has failed' : `is ${state}`}${why}: it sends no requests.`;
  }
}

export function pageLimit({ crawl: { config, pagesInHand } }: ExplainFacts): Wait | null {
  if (config.maxPages === null || pagesInHand < config.maxPages) return null;
  return {
    verdict: 'page-limit',
    because: `The crawl has the ${counted(config.maxPages, 'page', 'pages')} it may fetch, or is fetching the last of them.`,
    inMs: null,
  };
}

export function timeLimit({ crawl: { config, runningMs }, now }: ExplainFacts, inMs: number): Wait | null {
  if (config.maxSeconds === null || runningMs === null) return null;
  const leftMs = config.maxSeconds * 1_000 - runningMs;
  if (inMs <= leftMs) return null;
  return {
    verdict: 'time-limit',
    because: `The crawl's time ends at ${instantIn(now, leftMs)}, before its turn comes: it will be excluded.`,
    inMs: null,
  };
}

export function urlNotDue({ record, now }: ExplainFacts): Wait | null {
  if (record === null || record.dueMs <= 0) return null;
  const after =
    record.reason === null ? '' : ` after its last attempt: ${reasonText(record.reason, record.detail)}`;
  return {
    verdict: 'url-backoff',
    because: `The URL itself is due again at ${instantIn(now, record.dueMs)}${after}.`,
    inMs: record.dueMs,
  };
}

export function crawlNotReady({ host, now }: ExplainFacts): Wait | null {
  if (host === null || host.turn.inMs <= 0) return null;
  const { inMs, reported } = host.turn;
  const until = `The crawl has no turn at this host before ${instantIn(now, inMs)}`;
  return reported
    ? {
        verdict: 'host-reported',
        because: `${until}, or until the host has answered Orbweaver itself: another fetcher of the tenant has reported trouble at the host, or URLs of the tenant alone have met it. This delays no other tenant.`,
        inMs,
      }
    : {
        verdict: 'crawl-delay',
        because: `${until}: its own delay of ${span(host.turn.delayMs)} has not passed. This delays no other crawl.`,
        inMs,
      };
}
