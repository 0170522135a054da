/** What other settings make of a URL that the frontier has. */
import { setImmediate as breathe } from 'node:timers/promises';
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { compileMediaFilter, unwantedType, type MediaFilter } from '../../domain/media-filter.ts';
import { outOfScope, ruleReasons, type ScopeJudge } from '../../domain/scope.ts';
import { canonicalize } from '../../domain/url.ts';
import type { Pool } from '../../storage/pool.ts';
import type { HostAtLimit } from '../../storage/statements/hosts-at-limit.ts';
import type { JudgedUrl } from '../../storage/statements/judge-urls.ts';
import type { LimitedUrl } from '../../storage/statements/limited-urls.ts';
import type { RuledUrl } from '../../storage/statements/urls-to-judge.ts';
import { judgeBy } from '../crawl-book.ts';

/** Classes of excluded URLs that other settings may queue again. */
export const movableReasons: readonly string[] = [...ruleReasons, unwantedType];

export interface Rules {
  readonly judge: ScopeJudge;
  readonly takes: MediaFilter;
}

export async function rulesOf(pool: Pool, crawlId: string, config: CrawlConfig): Promise<Rules> {
  return {
    judge: await judgeBy(pool, Number(crawlId), config),
    takes: compileMediaFilter(config.contentTypes),
  };
}

/** How many of the URLs that the limit for a host keeps out may come in under another one. */
export const roomAt = ({ total, limited }: HostAtLimit, limit: number): number =>
  Math.max(0, Math.min(limited, limit - (total - limited)));

/** Would one that the limit for its host keeps out be admitted, if there were room? */
export function admitsLimited(row: LimitedUrl, { judge }: Rules): boolean {
  const link = canonicalize(row.url);
  return row.unruled || (link.ok && judge(link.value, row.depth).verdict === 'admit');
}

type Moved = Omit<JudgedUrl, 'crawl_id'>;

const before = ({ host_id, key, state, reason }: RuledUrl) => ({
  ...{ host_id, key, was: state, was_reason: reason },
});

export const queuedAgain = (row: RuledUrl): Moved => ({
  ...before(row),
  ...{ state: 'queued', reason: null, detail: null },
});

/** Milliseconds for which the process does nothing else. */
const breathMs = 20;

/**
 * Judges rows one by one, and lets the process go on with other things now and then: thousands of URLs by thousands of
 * patterns take seconds. Answers what was judged when `isOver` says so.
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

/** It was fetched before, and a body of its type is not taken: nobody asks for it once more to find that out. */
const isRefused = ({ seed, status, content_type: type }: RuledUrl, takes: MediaFilter): boolean =>
  !seed && type !== null && status !== null && status >= 200 && status < 300 && !takes(type);

/** Null: it stays as it is. */
export function judgeAgain(row: RuledUrl, { judge, takes }: Rules): Moved | null {
  const link = canonicalize(row.url);
  if (!link.ok) return null;
  const verdict = judge(link.value, row.depth);
  // Its body was not read: where it is wanted now, it is fetched once more.
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
