/** When a URL will be fetched, and everything that stands before it. */
import type { Explanation } from '../contracts/http.ts';
import { effectiveDelayMs } from '../domain/pace.ts';
import { parseRobots, productToken } from '../domain/robots.ts';
import type { HostCircumstances } from './statements/explain-host.ts';
import type { UrlCircumstances } from './statements/explain-url.ts';
import type { CountedCrawlRow } from './statements/list-crawls.ts';

type Crawl = Pick<CountedCrawlRow, 'state' | 'reason'>;

/**
 * @param userAgent of crawls that set none
 * Null: it has its outcome. Waits were measured by Postgres, so only `now` is of this machine's clock.
 */
export function nextFetch(
  crawl: Crawl,
  host: HostCircumstances,
  row: UrlCircumstances,
  userAgent: string,
  now: Date,
): Explanation['next'] {
  if (row.state === 'leased') {
    return {
      at: now.toISOString(),
      because: ['It belongs to the slice of its host that is being fetched now.'],
    };
  }
  if (row.state !== 'queued') return null;
  const halted = [...crawlHalts(crawl), ...parking(host)];
  const delayMs = delayInForce(host, userAgent);
  const because = [...halted, ...ownWait(row, now), ...hostWait(host, now), ...queueWait(host, row, delayMs)];
  const waitMs = Math.max(row.due_in_ms, host.wait_ms, 0) + row.ahead * delayMs;
  return {
    at: halted.length > 0 ? null : new Date(now.getTime() + waitMs).toISOString(),
    because: because.length > 0 ? because : ['Nothing: it is the next one at its host.'],
  };
}

function delayInForce(host: HostCircumstances, userAgent: string): number {
  const robots = parseRobots(host.robots_body ?? '');
  return effectiveDelayMs({
    operatorMs: host.delay_ms,
    crawlsMs: host.crawls.map(({ delay, agent }) => {
      const seconds = delay ?? robots.forAgent(productToken(agent ?? userAgent)).crawlDelaySeconds;
      return seconds === null ? null : seconds * 1_000;
    }),
    robotsMs: null,
    slowdown: host.slowdown,
  });
}

function crawlHalts(crawl: Crawl): string[] {
  const why = crawl.reason === null ? '' : ` (${crawl.reason})`;
  switch (crawl.state) {
    case 'seeding':
    case 'running':
      return [];
    case 'paused':
      return [`The crawl is paused${why}: no request is sent before it is resumed.`];
    case 'draining':
      return [`The crawl is ending${why}: what is still queued will be excluded.`];
    case 'finished':
    case 'cancelled':
    case 'failed':
      return [`The crawl is ${crawl.state}${why}: it sends no requests.`];
  }
}

function parking(host: HostCircumstances): string[] {
  if (host.parked_at === null) return [];
  const why = host.last_error === null ? '' : `: ${host.last_error}`;
  return [`The host has been parked since ${host.parked_at.toISOString()}${why}; it waits for a retry.`];
}

function ownWait(row: UrlCircumstances, now: Date): string[] {
  if (row.due_in_ms <= 0) return [];
  const after = row.reason === null ? '' : ` after its last attempt (${row.reason})`;
  return [`The URL itself is due again at ${later(now, row.due_in_ms)}${after}.`];
}

function hostWait(host: HostCircumstances, now: Date): string[] {
  if (host.wait_ms <= 0) return [];
  const why =
    host.failures === 0
      ? 'its delay or a Retry-After has not passed'
      : `${String(host.failures)} failures in a row, the last: ${host.last_error ?? 'unknown'}`;
  return [`The host may not be visited before ${later(now, host.wait_ms)}: ${why}.`];
}

function queueWait(host: HostCircumstances, row: UrlCircumstances, delayMs: number): string[] {
  const pace = `one request every ${String(delayMs / 1_000)} s${host.slowdown > 0 ? ' (slowed down after trouble)' : ''}`;
  const reasons: string[] = [];
  if (row.ahead > 0) {
    const many = row.ahead >= 10_000 ? 'At least 10,000' : String(row.ahead);
    reasons.push(
      `${many} queued ${row.ahead === 1 ? 'URL' : 'URLs'} of this crawl ${row.ahead === 1 ? 'goes' : 'go'} first at this host, at ${pace}.`,
    );
  }
  const crawls = host.crawls.length;
  if (crawls > 1) reasons.push(`${String(crawls)} running crawls take turns at this host.`);
  if (host.leased) reasons.push('Another slice of the host is being fetched now.');
  return reasons;
}

const later = (now: Date, ms: number): string => new Date(now.getTime() + ms).toISOString();
