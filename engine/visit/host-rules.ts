/** What a slice has to know of its host before it sends a page request. */
import { rulesForAll, type Robots } from '../../domain/robots.ts';
import type { TroubleClass } from '../../domain/trouble.ts';
import { outOfScope } from '../../domain/scope.ts';
import { canonicalize, pathAndQuery } from '../../domain/url.ts';
import type { LeasedUrl } from '../../storage/statements/lease-urls.ts';
import type { OpenCrawl } from '../books/crawl-book.ts';
import type { Refusal } from './record.ts';

export interface HostRules {
  readonly robots: Robots | null;
  /** Set: the host's address is guarded, nothing may be sent; says why. */
  readonly refused: string | null;
}

export interface HostTrouble {
  readonly class: TroubleClass;
  readonly message: string;
  readonly waitMs: number;
}

/** What is queued of a crawl that was edited may have been admitted by other rules. */
async function ruledOut({ url, depth, seed }: LeasedUrl, crawl: OpenCrawl): Promise<Refusal | null> {
  const link = canonicalize(url);
  if (!link.ok) return null;
  const [verdict] = await crawl.judge([{ link: link.value, depth, seed }]);
  switch (verdict?.verdict) {
    case undefined:
    case 'admit':
      return null;
    case 'outside':
      return { reason: outOfScope, detail: verdict.detail, byVersion: crawl.version };
    case 'excluded':
      return { reason: verdict.reason, detail: verdict.detail, byVersion: crawl.version };
  }
}

/** Why no request may be sent for a URL; null: it may. */
export async function refusalOf(
  url: LeasedUrl,
  crawl: OpenCrawl,
  rules: HostRules,
  origin: string,
): Promise<Refusal | null> {
  if (rules.refused !== null) return { reason: 'address-refused', detail: rules.refused };
  const outdated = crawl.version === 1 || url.kind === 1 ? null : await ruledOut(url, crawl);
  if (outdated !== null) return outdated;
  const path = pathAndQuery({ url: url.url, host: origin });
  if (rules.robots === null) return null;
  const verdict = rulesForAll(rules.robots, crawl.agentTokens).check(path);
  if (verdict.allowed) return null;
  return { reason: 'robots', detail: `robots.txt line ${String(verdict.line)}: ${verdict.rule ?? ''}` };
}
