/** What other settings make of a URL that the frontier has. */
import type { CrawlConfig } from '../../contracts/crawl.ts';
import { compileMediaFilter, unwantedType, type MediaFilter } from '../../domain/media-filter.ts';
import { outOfScope, ruleReasons, type ScopeJudge } from '../../domain/scope.ts';
import { canonicalize } from '../../domain/url.ts';
import type { Pool } from '../../storage/pool.ts';
import type { HostAtLimit } from '../../storage/statements/hosts-at-limit.ts';
import type { JudgedUrl } from '../../storage/statements/judge-urls.ts';
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

/** Null: it stays as it is. */
export function judgeAgain(row: RuledUrl, { judge, takes }: Rules): Omit<JudgedUrl, 'crawl_id'> | null {
  const link = canonicalize(row.url);
  if (!link.ok) return null;
  const verdict = judge(link.value, row.depth);
  const was = { host_id: row.host_id, key: row.key, was: row.state, was_reason: row.reason };
  // Its body was not read: where it is wanted now, it is fetched once more.
  if (row.reason === unwantedType && (verdict.verdict !== 'admit' || !takes(row.content_type))) return null;
  if (verdict.verdict === 'admit')
    return row.state === 'queued' ? null : { ...was, state: 'queued', reason: null, detail: null };
  const reason = verdict.verdict === 'outside' ? outOfScope : verdict.reason;
  const { detail } = verdict;
  if (row.state === 'excluded' && row.reason === reason && row.detail === detail) return null;
  return { ...was, state: 'excluded', reason, detail };
}
