/**
 * Why a URL was fetched, skipped or waits (G5). Gathers what is known about the URL, its host, its crawl and
 * robots.txt; domain/explain/ turns it into words. Changes nothing, and reads only from Postgres.
 */
import { crawlStates, wholeConfig, type CrawlConfig } from '../../contracts/crawl.ts';
import { compileUrlPattern } from '../../contracts/url-pattern.ts';
import type { Regions } from '../../domain/regions.ts';
import type { Explanation } from '../../contracts/http/explain.ts';
import {
  aheadCounted,
  shortenedCounted,
  type CapWait,
  type ExplainFacts,
  type RecordFacts,
  type ScopeFacts,
  type Shortened,
} from '../../domain/explain/facts.ts';
import { narrate } from '../../domain/explain/narrate.ts';
import { judgeRobots } from '../../domain/explain/robots.ts';
import { coveringDomain, hostName } from '../../domain/opt-out.ts';
import { lastBy, seedPriority } from '../../domain/priority/place.ts';
import { namesOf } from '../../domain/robots.ts';
import { compileScope, type ScopeConfig } from '../../domain/scope.ts';
import { accusationText } from '../../domain/traps/rules.ts';
import { domainOfShape, hostsBelow, shapesOf } from '../../domain/traps/shape.ts';
import { listQuarantine } from '../../storage/traps/index.ts';
import { apexOf } from '../traps/domain-hosts.ts';
import { shapedPart } from '../traps/observe.ts';
import { canonicalSteps } from '../../domain/url-steps.ts';
import { canonicalize, pathAndQuery, type CanonicalUrl, type UrlRejection } from '../../domain/url.ts';
import { deadLetterFacts, hostFacts, recordFacts, recrawlFacts, storedCopy, withheld } from './facts.ts';
import { isScored, scoreFacts } from './score.ts';
import { urlKey } from '../../contracts/url-key.ts';
import { hostCapWait } from '../../storage/caps/index.ts';
import type { CapBook } from '../caps/cap-book.ts';
import type { Queryable } from '../../storage/postgres/index.ts';
import { isWithin, pendingSeed, registrableDomain } from '../../storage/seeds/index.ts';
import {
  countAhead,
  explainHost,
  explainUrl,
  listAttempts,
  listShortened,
} from '../../storage/reports/index.ts';
import { findUrlState, pagesInHand } from '../../storage/frontier/index.ts';
import { listCrawls } from '../../storage/crawls/index.ts';
import { withSession } from '../../storage/sessions/index.ts';
import { currentOutages, measureLoads, homesOf } from '../../storage/instance/index.ts';
import { loadOptOuts } from '../../storage/opt-outs/index.ts';
import { findKept } from '../../storage/recrawl/index.ts';
import { pendingConfig } from '../../storage/edits/index.ts';

/** Most pages that are named as those from which a URL that was not met may have been cut. */
const shortenedShown = 3;

/** Why no crawl can have a URL; null: the URL can be explained. */
export function rejectionOf(rawUrl: string): UrlRejection | null {
  const read = canonicalize(rawUrl.trim());
  return read.ok ? null : read.rejected;
}

/**
 * Null: there is no such crawl.
 * @param rawUrl any spelling of the URL
 * @param userAgent of the workers, for crawls that set none
 * @param caps absent: waits for a cap do not say how large it is @param regions absent: the instance has none
 * @throws RangeError for a URL that `rejectionOf` rejects
 */
export async function explainUrlOf(
  db: Queryable,
  crawlId: string,
  rawUrl: string,
  userAgent: string,
  caps?: CapBook,
  regions?: Regions,
): Promise<Explanation | null> {
  const asked = rawUrl.trim();
  const read = canonicalize(asked);
  if (!read.ok) throw new RangeError(`this URL cannot be crawled: ${read.rejected}`);
  const link = read.value;
  const facts = await gather(db, crawlId, asked, link, userAgent, caps, regions);
  if (facts === null) return null;
  const { record, robots, scope, attempts, deadLetter } = facts;
  const { summary, decisions, next } = narrate(facts);
  return {
    url: link.url,
    canonical: link.canonical,
    key: urlKey(link.canonical).toString('hex'),
    host: link.host,
    summary,
    decisions: [...decisions],
    scope,
    record: record && { ...withoutScore(record), cut: { ...record.cut } },
    attempts: [...attempts],
    deadLetter,
    robots,
    next: next && { at: next.at, because: [...next.because] },
  };
}

/** The parts of the score are told by the decision about it. */
const withoutScore = ({ scored: _, ...record }: RecordFacts): Omit<RecordFacts, 'scored'> => record;

async function gather(
  db: Queryable,
  crawlId: string,
  asked: string,
  link: CanonicalUrl,
  userAgent: string,
  caps: CapBook | undefined,
  regions: Regions | undefined,
): Promise<ExplainFacts | null> {
  const [crawl] = await listCrawls(db, { only: crawlId, states: crawlStates, limit: 1 });
  if (crawl === undefined) return null;
  const config = await withSession(db, crawlId, wholeConfig(crawl.config));
  const key = urlKey(link.canonical).toString('hex');
  const [known] = await explainHost(db, link.host, crawlId);
  // A tenant must not see that another one crawls the host.
  const host = known?.met !== true ? undefined : known.reached ? known : withheld(known);
  const [row] = host === undefined ? [] : await explainUrl(db, host.id, crawlId, key);
  const quarantine = await quarantineOf(db, crawlId, link, row);
  const record =
    row === undefined
      ? null
      : recordFacts(
          row,
          link,
          await stateOf(db, crawlId, row.redirect_to),
          isScored(row) ? await scoreFacts(db, config, link, row) : null,
        );
  const scope = await judgeScope(db, crawlId, config, link, record);
  const mayWait = record === null || record.state === 'queued';
  const priority = record?.priority ?? (await wouldScore(db, config, link, scope, quarantine));
  const [place] =
    host === undefined || !mayWait
      ? []
      : await countAhead(db, {
          hostId: host.id,
          crawlId,
          key,
          priority,
          dueMs: record?.dueMs ?? 0,
          most: aheadCounted,
        });
  const [optOuts] = await loadOptOuts(db, 0);
  const [inHand] = await pagesInHand(db, [Number(crawlId)]);
  const { keepFresh } = config;
  const [kept] = host === undefined || keepFresh === null ? [] : await findKept(db, crawlId, host.id, key);
  const attempts =
    host === undefined || row === undefined ? [] : await listAttempts(db, host.id, crawlId, key);
  const requested = pathAndQuery({ url: record?.fetchUrl ?? link.url, host: link.host });
  return {
    now: Date.now(),
    link,
    steps: canonicalSteps(asked),
    crawl: {
      state: crawl.state,
      reason: crawl.reason,
      version: crawl.configVersion,
      isEditing: crawl.configVersion > 1 && (await pendingConfig(db, crawlId)).length > 0,
      config,
      pagesInHand: inHand?.pages ?? 0,
      runningMs: crawl.seconds === null ? null : crawl.seconds * 1_000,
    },
    scope,
    quarantine,
    stages: mayWait ? await measureLoads(db) : [],
    // That a region is out is said with the region of the host.
    outages:
      mayWait && crawl.state === 'running'
        ? (await currentOutages(db)).filter(({ dependency }) => dependency !== 'region')
        : [],
    region:
      host?.reached !== true
        ? undefined
        : (await homesOf(db, regions, [{ origin: link.host }])).get(link.host),
    optedOut: coveringDomain(hostName(link.host), new Set(optOuts?.domains)),
    host:
      host === undefined
        ? null
        : {
            ...hostFacts(link.host, host, crawlId, place?.ahead ?? 0, userAgent),
            capped: host.reached ? await capWait(db, link.host, caps) : null,
          },
    robots:
      host === undefined
        ? null
        : judgeRobots(storedCopy(host), requested, namesOf(userAgent, config.userAgent ?? userAgent)),
    record,
    shortened: record === null ? await shortenedPages(db, crawlId, host?.id ?? null) : { total: 0, some: [] },
    attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    deadLetter: row === undefined ? null : deadLetterFacts(row),
    recrawl: keepFresh === null || kept === undefined ? null : recrawlFacts(kept, keepFresh),
  };
}

/** The score of a URL that was not met, as a seed or as a link on a page of its host. */
async function wouldScore(
  db: Queryable,
  config: CrawlConfig,
  link: CanonicalUrl,
  { depth, isSeed }: ScopeFacts,
  quarantine: ExplainFacts['quarantine'],
): Promise<number> {
  if (isSeed) return seedPriority;
  const found = {
    parent_priority: null,
    parent_is_host: true,
    linking_hosts: null,
    linking_pages: null,
    promised: null,
    lastmod: null,
  };
  const { score } = await scoreFacts(db, config, link, { depth, ...found });
  return quarantine?.verdict === 'suspected' ? score - lastBy : score;
}

/** What the quarantine says of a URL, by the narrowest of its shapes that is held, else by one that is suspected. */
async function quarantineOf(
  db: Queryable,
  crawlId: string,
  link: CanonicalUrl,
  record: { readonly reason: string | null; readonly detail: string | null } | undefined,
): Promise<ExplainFacts['quarantine']> {
  const verdicts = ['held', 'confirmed', 'suspected'] as const;
  const domain = registrableDomain(hostName(link.host));
  const origins = [link.host, ...(domain === null ? [] : [apexOf(domain)])];
  const rows = await listQuarantine(db, { crawlId, verdicts, origins, limit: 1_000, counted: 0 });
  const isBelow = domain !== null && hostName(link.host) !== domain;
  const shapes = [...shapesOf(shapedPart(link)), ...(isBelow ? [hostsBelow(domain)] : [])];
  const mine = rows
    .filter(({ id, shape, origin, rule }) =>
      rule === 'soft-404'
        ? record?.reason === 'soft-404' && record.detail?.startsWith(`${id}: `) === true
        : shapes.includes(shape) && (origin === link.host || domainOfShape(shape) !== null),
    )
    .sort((a, b) => shapes.indexOf(a.shape) - shapes.indexOf(b.shape));
  const row = mine.find(({ verdict }) => verdict !== 'suspected') ?? mine[0];
  if (row === undefined) return null;
  const { id, shape, rule, created_at } = row;
  const verdict = verdicts.find((each) => each === row.verdict) ?? 'held';
  return { crawlId, id, shape, verdict, rule, why: accusationText(row), since: created_at.toISOString() };
}

async function capWait(db: Queryable, origin: string, caps?: CapBook): Promise<CapWait | null> {
  const [wait] = await hostCapWait(db, origin);
  if (wait === undefined) return null;
  await caps?.refresh();
  const cap = caps?.named(wait.name)?.cap ?? null;
  return { name: wait.name, inMs: wait.wait_ms, hosts: wait.hosts, cap };
}

async function shortenedPages(db: Queryable, crawlId: string, hostId: string | null): Promise<Shortened> {
  const rows = await listShortened(db, crawlId, hostId, shortenedShown, shortenedCounted);
  return { total: rows[0]?.total ?? 0, some: rows.map(({ url, cut }) => ({ url, cut })) };
}

/** A URL that was never met is judged as a link on a seed, the smallest depth that it can have. */
async function judgeScope(
  db: Queryable,
  crawlId: string,
  config: CrawlConfig & Pick<ScopeConfig, 'signedIn'>,
  link: CanonicalUrl,
  record: RecordFacts | null,
): Promise<ScopeFacts> {
  const isSeed = record?.seed ?? (await pendingSeed(db, crawlId, link.url)).length > 0;
  const depth = record?.depth ?? (isSeed ? 0 : 1);
  const [inside = false] = await isWithin(db, Number(crawlId), config.scope, [link]);
  const verdict = compileScope(config, compileUrlPattern)(link, {
    depth,
    seed: isSeed,
    inside,
    requisite: record?.kind === 'requisite',
  });
  return {
    verdict: verdict.verdict,
    reason: verdict.verdict === 'excluded' ? verdict.reason : null,
    detail: verdict.verdict === 'admit' ? null : verdict.detail,
    depth,
    isSeed,
    includedBy: config.include.find((pattern) => compileUrlPattern(pattern)(link.canonical)) ?? null,
  };
}

async function stateOf(
  db: Queryable,
  crawlId: string,
  url: string | null,
): Promise<RecordFacts['redirectState']> {
  const read = url === null ? null : canonicalize(url);
  if (read?.ok !== true) return null;
  const { canonical, host } = read.value;
  return (await findUrlState(db, host, crawlId, urlKey(canonical).toString('hex')))[0]?.state ?? null;
}
