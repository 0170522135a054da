/** What becomes of a URL in the frontier under edited settings. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { compileUrlPattern } from '../../contracts/url-pattern.ts';
import { compileMediaFilter, unwantedType, type MediaFilter } from '../../domain/media-filter.ts';
import { compileScope, outOfScope, ruleReasons, type ScopeJudge } from '../../domain/scope.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { isWithin } from '../../storage/seeds/index.ts';
import type { HostAtLimit, JudgedUrl, LimitedUrl, RuledUrl } from '../../storage/edits/index.ts';

/** Classes of excluded URLs that other settings may queue again. */
export const movableReasons = [...ruleReasons, unwantedType] as const;

export interface Rules {
  readonly judge: ScopeJudge;
  readonly takes: MediaFilter;
  /** Whether the scope reaches each of the links, by the seeds that the crawl has now. */
  readonly within: (links: readonly CanonicalUrl[]) => Promise<boolean[]>;
}

export function rulesOf(pool: Pool, crawlId: string, config: CrawlConfig): Rules {
  return {
    judge: compileScope(config, compileUrlPattern),
    takes: compileMediaFilter(config.contentTypes),
    within: (links) => isWithin(pool, Number(crawlId), config.scope, links),
  };
}

/** A row to judge. `link` is null if its URL cannot be read: then the row stays as it is. */
export interface Reached<Row> {
  readonly row: Row;
  readonly link: CanonicalUrl | null;
  readonly inside: boolean;
}

/** Looks up for all rows together which of them the scope reaches, before they are judged one by one. */
export async function reached<Row extends { readonly url: string }>(
  rows: readonly Row[],
  { within }: Rules,
): Promise<Reached<Row>[]> {
  const read = rows.map(({ url }) => canonicalize(url));
  const inside = await within(read.flatMap((link) => (link.ok ? [link.value] : [])));
  let at = 0;
  return rows.map((row, index) => {
    const link = read[index];
    return link?.ok === true
      ? { row, link: link.value, inside: inside[at++] === true }
      : { row, link: null, inside: false };
  });
}

/** How many of the URLs that the limit of a host keeps out may be queued under another limit. */
export const roomAt = ({ total, limited }: HostAtLimit, limit: number): number =>
  Math.max(0, Math.min(limited, limit - (total - limited)));

/** Would a URL that the limit of its host keeps out be admitted if there were room? */
export function admitsLimited({ row, link, inside }: Reached<LimitedUrl>, { judge }: Rules): boolean {
  return row.unruled || (link !== null && judge(link, { ...row, inside }).verdict === 'admit');
}

const before = ({ host_id, key, state, reason }: RuledUrl) => ({
  ...{ host_id, key, was: state, was_reason: reason },
});

export const queuedAgain = (row: RuledUrl): JudgedUrl => ({
  ...before(row),
  ...{ state: 'queued', reason: null, detail: null },
});

/** Most milliseconds for which judging blocks the process. */
const breathMs = 20;

/**
 * Judges rows one by one, and lets the process do other work now and then: thousands of URLs and thousands of patterns
 * take seconds. If `isOver` says so, it stops and returns the verdicts so far.
 */
export async function judgeEach<Row, Verdict>(
  rows: readonly Row[],
  judge: (row: Row) => Verdict,
  isOver: () => boolean = () => false,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let since = performance.now();
  for (const row of rows) {
    verdicts.push(judge(row));
    if (performance.now() - since < breathMs) continue;
    if (isOver()) break;
    await breathe();
    since = performance.now();
  }
  return verdicts;
}

/** The URL was fetched before, and bodies of its type are not taken: no need to fetch it again to find that out. */
const isRefused = ({ seed, status, content_type: type }: RuledUrl, takes: MediaFilter): boolean =>
  !seed && type !== null && status !== null && status >= 200 && status < 300 && !takes(type);

/** Null: the URL stays as it is. */
export function judgeAgain(
  { row, link, inside }: Reached<RuledUrl>,
  { judge, takes }: Rules,
): JudgedUrl | null {
  if (link === null) return null;
  const verdict = judge(link, { ...row, inside });
  // The body was not read: if its type is taken now, the URL is fetched once more.
  if (row.reason === unwantedType && (verdict.verdict !== 'admit' || !takes(row.content_type))) return null;
  if (verdict.verdict === 'admit') {
    if (row.state !== 'queued') return queuedAgain(row);
    if (!isRefused(row, takes)) return null;
    return { ...before(row), state: 'excluded', reason: unwantedType, detail: row.content_type };
  }
  const reason = verdict.verdict === 'outside' ? outOfScope : verdict.reason;
  const { detail } = verdict;
  if (row.state === 'excluded' && row.reason === reason && row.detail === detail) return null;
  return { ...before(row), state: 'excluded', reason, detail };
}
