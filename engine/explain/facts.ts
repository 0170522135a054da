/** From rows of Postgres to the facts of an explanation. */
import { closingAt } from '../../domain/closing.ts';
import type {
  DeadLetterFacts,
  HostFacts,
  PageFacts,
  RecordFacts,
  RecrawlFacts,
} from '../../domain/explain/facts.ts';
import type { StoredCopy } from '../../domain/explain/robots.ts';
import { crawlPace, hostPace, type Pace } from '../../domain/host-delay.ts';
import { adaptedDelayMs } from '../../domain/pace.ts';
import { toleranceOf, type KeepFresh } from '../../domain/recrawl/keep-fresh.ts';
import { pageClasses } from '../../domain/recrawl/page-class.ts';
import { mostWorth, worth } from '../../domain/recrawl/worth.ts';
import { namesOf, parseRobots } from '../../domain/robots.ts';
import { stageOf } from '../../domain/stage.ts';
import { kindOf } from '../../domain/url-kind.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import type { KeptPage } from '../../storage/recrawl/index.ts';
import type { HostCircumstances, UrlCircumstances } from '../../storage/reports/index.ts';

/** @param userAgent of the workers, for crawls that set none */
export function hostFacts(
  origin: string,
  row: HostCircumstances,
  crawlId: string,
  ahead: number,
  userAgent: string,
): Omit<HostFacts, 'capped'> {
  const delays = delaysInForce(row, crawlId, userAgent);
  return {
    ...row,
    origin,
    pausedAt: instant(row.paused_at),
    parkedAt: instant(row.parked_at),
    failingSince: instant(row.failing_since),
    loggedOut:
      row.loggedOut === null
        ? null
        : { ...row.loggedOut, since: new Date(row.loggedOut.since).toISOString() },
    turn: { inMs: row.turn_ms, delayMs: delays.own, reported: row.turn_held },
    closed: closingOf(row),
    delayMs: delays.all,
    ahead,
    // A tenant must not see what others have here.
    others: row.crawls
      .filter(({ id, queued, ours }) => String(id) !== crawlId && queued > 0 && ours)
      .map(({ queued }) => queued),
  };
}

/**
 * The host without what requests to it have taught: a tenant none of whose crawls was let go there is told nothing of
 * robots.txt, pace, trouble and visits. What operators have set, and what the crawl has queued, holds for it all the same.
 */
export const withheld = (row: HostCircumstances): HostCircumstances => ({
  ...row,
  failures: 0,
  failing_since: null,
  lastError: null,
  trouble: null,
  eased: false,
  slowdown: 0,
  waitMs: 0,
  paceMs: 0,
  leaseMs: null,
  lentMs: null,
  keptMs: null,
  guest: false,
  budget: null,
  later: false,
  requests_day: null,
  requests_used: 0,
  took_ms: null,
  robots_status: null,
  robots_body: null,
  robots_fetched_at: null,
  robots_age_ms: null,
  robotsKeptMs: null,
  crawls: row.crawls.filter(({ ours }) => ours),
});

function closingOf({
  settings,
  budget,
  later,
  requests_day,
  requests_used,
  now_ms,
}: HostCircumstances): HostFacts['closed'] {
  const closing = closingAt(settings, budget, { day: requests_day, used: requests_used }, now_ms);
  if (closing === null) return null;
  const perDay = closing.by === 'quota' && settings.quotaPerDay === null ? budget : null;
  return { by: closing.by, inMs: closing.until - now_ms, budget: perDay === null ? null : { perDay, later } };
}

/** Milliseconds between two requests to the host (`all`), and between two of this crawl (`own`). */
function delaysInForce(
  host: HostCircumstances,
  crawlId: string,
  userAgent: string,
): { readonly all: number; readonly own: number } {
  const robots = parseRobots(host.robots_body ?? '');
  const crawls = host.crawls.map(({ id, delay, factor, agent, mayHurry }) => ({
    id,
    config: { delaySeconds: delay, delayFactor: factor },
    agentTokens: namesOf(userAgent, agent ?? userAgent),
    mayHurry,
  }));
  const adapted = ({ delayMs, factor }: Pace): number => adaptedDelayMs(delayMs, factor, host.took_ms);
  const all = adapted(hostPace(host, crawls, robots));
  const crawl = crawls.find(({ id }) => String(id) === crawlId);
  return { all, own: crawl === undefined ? all : adapted(crawlPace(host, crawl, robots)) };
}

export function storedCopy(row: HostCircumstances): StoredCopy | null {
  const {
    robots_status: status,
    robots_body: body,
    robots_fetched_at: fetchedAt,
    robots_age_ms: ageMs,
  } = row;
  if (status === null || fetchedAt === null || ageMs === null) return null;
  return { status, body, fetchedAt: fetchedAt.toISOString(), ageMs };
}

/** @param redirectState state of the redirect's target in the crawl */
export function recordFacts(
  row: UrlCircumstances,
  link: CanonicalUrl,
  redirectState: RecordFacts['redirectState'],
  scored: RecordFacts['scored'],
): RecordFacts {
  return {
    state: row.state,
    kind: kindOf(row.kind),
    reason: row.reason,
    detail: row.detail,
    fetchUrl: row.url,
    seed: row.seed,
    depth: row.depth,
    redirects: row.hops,
    priority: row.priority,
    scored,
    discoveredAt: row.discovered_at.toISOString(),
    discoveredFrom: row.parent_url,
    redirectedWith: canonicalOf(row.parent_redirect_to) === link.canonical ? row.parent_status : null,
    dueMs: row.due_in_ms,
    fetchedAt: instant(row.fetched_at),
    status: row.status,
    contentType: row.content_type,
    bytes: row.bytes,
    contentHash: row.content_hash,
    redirectTo: row.redirect_to,
    redirectState,
    truncated: row.truncated,
    duplicateOf: row.alias_url,
    duplicateBy: row.alias_url === null ? null : row.alias_same_body ? 'body' : 'text',
    revisitOf: row.revisit_of,
    rendering: row.rendering,
    stillToDo: stageOf(row.stage),
    requests: row.fetches,
    reclaims: row.reclaims,
    leaseHeld: row.lease_held,
    page: pageFacts(row),
    cut: row.cut ?? {},
  };
}

function pageFacts(row: UrlCircumstances): PageFacts | null {
  const { words, links, canonical, noindex, nofollow, relevance } = row;
  if (words === null) return null;
  return {
    words,
    links: links ?? 0,
    canonical,
    nearDuplicateOf: row.near_duplicate_of,
    relevance,
    noindex: noindex ?? false,
    nofollow: nofollow ?? false,
  };
}

export function deadLetterFacts(row: UrlCircumstances): DeadLetterFacts | null {
  if (row.dead_class === null || row.dead_at === null) return null;
  return {
    class: row.dead_class,
    status: row.dead_status,
    message: row.dead_message ?? '',
    attempts: row.dead_attempts ?? 0,
    createdAt: row.dead_at.toISOString(),
  };
}

function canonicalOf(url: string | null): string | null {
  const read = url === null ? null : canonicalize(url);
  return read?.ok === true ? read.value.canonical : null;
}

const instant = (date: Date | null): string | null => date?.toISOString() ?? null;

export function recrawlFacts(page: KeptPage, keepFresh: KeepFresh): RecrawlFacts {
  const { importance, rate, price, visits } = page;
  const tolerance = toleranceOf(keepFresh);
  return {
    pageClass: pageClasses[page.class] ?? 'generic',
    visits,
    importance,
    rate,
    price,
    deadVisits: page.dead_visits,
    changedAt: page.changed_at?.toISOString() ?? null,
    nextDue: page.next_due?.toISOString() ?? null,
    worth: worth({ importance, rate }, page.age, tolerance),
    leftOut: price !== null && mostWorth({ importance, rate }, tolerance) <= price,
  };
}
