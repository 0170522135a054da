/** Why a URL was fetched, skipped or waits (G5, first form): its row, its host, its crawl and robots.txt in one answer. */
import { closedCrawlStates, crawlStates, type CrawlConfig } from '../contracts/crawl.ts';
import type { Explanation } from '../contracts/http.ts';
import { parseRobots, productToken, robotsAvailability } from '../domain/robots.ts';
import { compileScope } from '../domain/scope.ts';
import { canonicalize, pathAndQuery, type CanonicalUrl } from '../domain/url.ts';
import { nextFetch } from './explain-next.ts';
import { summarise } from './explain-summary.ts';
import { urlKey } from './key.ts';
import { explainHost, type HostCircumstances } from './statements/explain-host.ts';
import { explainUrl, type UrlCircumstances } from './statements/explain-url.ts';
import { goodSeeds } from './statements/good-seeds.ts';
import { listAttempts } from './statements/list-attempts.ts';
import { listCrawls } from './statements/list-crawls.ts';
import type { Queryable } from './pool.ts';
import { registrableDomain } from './registrable-domain.ts';
import { rejectionSentence } from './seeds.ts';

/**
 * @param rawUrl any spelling of the URL
 * @param userAgent sent by workers where a crawl names none
 * Null: there is no such crawl.
 */
export async function explainUrlOf(
  db: Queryable,
  crawlId: string,
  rawUrl: string,
  userAgent: string,
): Promise<Explanation | null> {
  const [crawl] = await listCrawls(db, crawlId, null, crawlStates, 1);
  if (crawl === undefined) return null;
  const read = canonicalize(rawUrl.trim());
  if (!read.ok) return unreadable(rawUrl, read.rejected);
  const link = read.value;
  const key = urlKey(link.canonical).toString('hex');
  const [host] = await explainHost(db, link.host);
  const [row] = host === undefined ? [] : await explainUrl(db, host.id, crawlId, key);
  const attempts =
    host === undefined || row === undefined ? [] : await listAttempts(db, host.id, crawlId, key);
  const known = {
    url: link.url,
    canonical: link.canonical,
    key,
    host: link.host,
    rejected: null,
    scope: await scopeVerdict(db, crawlId, crawl.config, link, row),
    record: row === undefined ? null : recordOf(row),
    attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    deadLetter: deadLetterOf(row),
    robots: host === undefined ? null : robotsVerdict(host, link, crawl.config.userAgent ?? userAgent),
    next: row === undefined || host === undefined ? null : nextFetch(crawl, host, row, userAgent, new Date()),
  };
  return { ...known, summary: summarise(known, closedCrawlStates.includes(crawl.state)) };
}

function unreadable(url: string, rejected: Parameters<typeof rejectionSentence>[0]): Explanation {
  return {
    url,
    canonical: null,
    key: null,
    host: null,
    rejected,
    summary: `No crawl can have it: it ${rejectionSentence(rejected)}.`,
    scope: null,
    record: null,
    attempts: [],
    deadLetter: null,
    robots: null,
    next: null,
  };
}

/** A URL never met is judged as a link on a seed, the nearest it can be. */
async function scopeVerdict(
  db: Queryable,
  crawlId: string,
  config: CrawlConfig,
  link: CanonicalUrl,
  row: UrlCircumstances | undefined,
): Promise<Explanation['scope']> {
  const seeds = (await goodSeeds(db, Number(crawlId))).flatMap(({ url }) => {
    const seed = canonicalize(url);
    return seed.ok ? [seed.value] : [];
  });
  const isSeed = seeds.some((seed) => seed.canonical === link.canonical);
  const verdict = compileScope(config, seeds, registrableDomain)(link, row?.depth ?? (isSeed ? 0 : 1));
  return {
    verdict: verdict.verdict,
    reason: verdict.verdict === 'excluded' ? verdict.reason : null,
    detail: verdict.verdict === 'admit' ? null : verdict.detail,
  };
}

function robotsVerdict(
  host: HostCircumstances,
  link: CanonicalUrl,
  userAgent: string,
): Explanation['robots'] {
  const agent = productToken(userAgent);
  const base = {
    status: host.robots_status,
    fetchedAt: host.robots_fetched_at?.toISOString() ?? null,
    agent,
  };
  const unknown = { ...base, allowed: null, rule: null, line: null };
  if (host.robots_status === null) return unknown;
  // A body that was kept through an outage still counts (RFC 9309 §2.3.1.4).
  if (host.robots_body !== null) {
    return { ...base, ...parseRobots(host.robots_body).forAgent(agent).check(pathAndQuery(link)) };
  }
  return robotsAvailability(host.robots_status) === 'unreachable' ? unknown : { ...unknown, allowed: true };
}

const stages = [null, 'dedup', 'extract'] as const;

function recordOf(row: UrlCircumstances): NonNullable<Explanation['record']> {
  return {
    state: row.state,
    kind: row.kind === 1 ? 'sitemap' : 'page',
    reason: row.reason,
    detail: row.detail,
    fetchUrl: row.url,
    seed: row.seed,
    depth: row.depth,
    redirects: row.hops,
    priority: row.priority,
    discoveredAt: row.discovered_at.toISOString(),
    discoveredFrom: row.parent_url,
    fetchedAt: row.fetched_at?.toISOString() ?? null,
    status: row.status,
    contentHash: row.content_hash,
    redirectTo: row.redirect_to,
    truncated: row.truncated,
    duplicateOf: row.alias_url,
    stillToDo: stages[row.stage] ?? null,
    requests: row.fetches,
    reclaims: row.reclaims,
  };
}

function deadLetterOf(row: UrlCircumstances | undefined): Explanation['deadLetter'] {
  if (row === undefined || row.dead_class === null || row.dead_at === null) return null;
  return {
    class: row.dead_class,
    message: row.dead_message ?? '',
    attempts: row.dead_attempts ?? 0,
    createdAt: row.dead_at.toISOString(),
  };
}
