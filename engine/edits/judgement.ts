/** What becomes of a URL in the frontier under edited settings. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { compileUrlPattern } from '../../contracts/url-pattern.ts';
import { compileMediaFilter, unwantedType, type MediaFilter } from '../../domain/media-filter.ts';
import type { ExcludedReason } from '../../domain/url-reason.ts';
import {
  compileScope,
  outOfScope,
  ruleReasons,
  vouchedReach,
  type ScopeConfig,
  type ScopeJudge,
} from '../../domain/scope.ts';
import { canonicalize, type CanonicalUrl } from '../../domain/url.ts';
import type { Pool } from '../../storage/postgres/index.ts';
import { isWithin } from '../../storage/seeds/index.ts';
import type { HostAtLimit, JudgedUrl, RuledUrl } from '../../storage/edits/index.ts';

/** The class of URLs whose turn had not come when the crawl reached a limit. */
const cutOff = 'crawl-limit';

export interface Rules {
  /** Classes of excluded URLs that the settings may queue again. */
  readonly movable: readonly ExcludedReason[];
  readonly judge: ScopeJudge;
  readonly takes: MediaFilter;
  /** The scope lets in a sitemap that lies on the host of the sitemap which names it. */
  readonly reachesVouched: boolean;
  /** Whether the scope reaches each of the links, by the seeds that the crawl has now. */
  readonly within: (links: readonly CanonicalUrl[]) => Promise<boolean[]>;
}

/** @param isAtLimit the crawl has reached a limit of these settings: what a limit cut off stays out */
export function rulesOf(
  pool: Pool,
  crawlId: string,
  config: CrawlConfig & Pick<ScopeConfig, 'signedIn'>,
  isAtLimit: boolean,
): Rules {
  return {
    movable: [...ruleReasons, unwantedType, ...(isAtLimit ? [] : ([cutOff] as const))],
    judge: compileScope(config, compileUrlPattern),
    takes: compileMediaFilter(config.contentTypes),
    reachesVouched: vouchedReach(config.scope),
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
export async function reached<Row extends { readonly url: string; readonly vouched?: boolean }>(
  rows: readonly Row[],
  { within, reachesVouched }: Rules,
): Promise<Reached<Row>[]> {
  const read = rows.map(({ url }) => canonicalize(url));
  const inside = await within(read.flatMap((link) => (link.ok ? [link.value] : [])));
  let at = 0;
  return rows.map((row, index) => {
    const link = read[index];
    return link?.ok === true
      ? { row, link: link.value, inside: inside[at++] === true || (reachesVouched && row.vouched === true) }
      : { row, link: null, inside: false };
  });
}

/** How many of the URLs that the limit of a host keeps out may be queued under another limit. */
export const roomAt = ({ total, limited }: HostAtLimit, limit: number): number =>
  Math.max(0, Math.min(limited, limit - (total - limited)));

/** Would a URL that the limit of its host keeps out be admitted if there were room? */
export function admitsLimited({ row, link, inside }: Reached<RuledUrl>, { judge }: Rules): boolean {
  return row.unruled || (link !== null && judge(link, { ...row, inside }).verdict === 'admit');
}

const asItWas = ({ host_id, key, state, reason }: RuledUrl) => ({
  host_id,
  key,
  was: state,
  was_reason: reason,
});

export const queuedAgain = (row: RuledUrl): JudgedUrl => ({
  ...asItWas(row),
  state: 'queued',
  reason: null,
  detail: null,
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

/** What becomes of a URL if a limit of the settings ends the crawl. @param moved what becomes of it by the rules alone */
export function cutByLimit(row: RuledUrl, moved: JudgedUrl | null): JudgedUrl | null {
  if (row.state === 'excluded') return moved?.state === 'queued' ? null : moved;
  return moved ?? { ...asItWas(row), state: 'excluded', reason: cutOff, detail: null };
}

/** The URL was fetched before, and bodies of its type are not taken: no need to fetch it again to find that out. */
const isRefused = ({ seed, requisite, status, content_type: type }: RuledUrl, takes: MediaFilter): boolean =>
  !seed && !requisite && type !== null && status !== null && status >= 200 && status < 300 && !takes(type);

/** Null: the URL stays as it is. */
export function judgeAgain(
  { row, link, inside }: Reached<RuledUrl>,
  { judge, takes }: Rules,
): JudgedUrl | null {
  if (row.unruled) return row.reason === cutOff ? queuedAgain(row) : null;
  if (link === null) return null;
  const verdict = judge(link, { ...row, inside });
  // The body was not read: if its type is taken now, the URL is fetched once more.
  if (row.reason === unwantedType && (verdict.verdict !== 'admit' || !takes(row.content_type))) return null;
  if (verdict.verdict === 'admit') {
    if (row.state !== 'queued') return queuedAgain(row);
    if (!isRefused(row, takes)) return null;
    return { ...asItWas(row), state: 'excluded', reason: unwantedType, detail: row.content_type };
  }
  const reason = verdict.verdict === 'outside' ? outOfScope : verdict.reason;
  const { detail } = verdict;
  if (row.state === 'excluded' && row.reason === reason && row.detail === detail) return null;
  return { ...asItWas(row), state: 'excluded', reason, detail };
}
