/** What a slice has to know of its host before it sends a page request. */
import type { Robots } from '../../domain/robots.ts';
import type { TroubleClass } from '../../domain/trouble.ts';
import { pathAndQuery } from '../../domain/url.ts';
import type { LeasedUrl } from '../../storage/statements/lease-urls.ts';
import type { OpenCrawl } from '../crawl-book.ts';

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

/** Why no request may be sent for a URL; null: it may. */
export function refusalOf(
  url: LeasedUrl,
  crawl: OpenCrawl,
  rules: HostRules,
  origin: string,
): { readonly reason: string; readonly detail: string } | null {
  if (rules.refused !== null) return { reason: 'address-refused', detail: rules.refused };
  const path = pathAndQuery({ url: url.url, host: origin });
  const verdict = rules.robots?.forAgent(crawl.agentToken).check(path);
  if (verdict === undefined || verdict.allowed) return null;
  return { reason: 'robots', detail: `robots.txt line ${String(verdict.line)}: ${verdict.rule ?? ''}` };
}
