/** The delay in force at a host: what its operator, its crawls, its robots.txt and its own complaints ask for. */
import { effectiveDelayMs } from '../../domain/pace.ts';
import type { Robots } from '../../domain/robots.ts';
import type { OpenCrawl } from '../crawl-book.ts';

/** Milliseconds. @param host the operator's delay and the learned slowdown, as they stand in its row. */
export function hostDelayMs(
  host: { readonly delay_ms: number | null; readonly slowdown: number },
  crawls: readonly Pick<OpenCrawl, 'config' | 'agentToken'>[],
  robots: Robots | null,
): number {
  return effectiveDelayMs({
    operatorMs: host.delay_ms,
    crawlsMs: crawls.map(({ config, agentToken }) => {
      const seconds = config.delaySeconds ?? robots?.forAgent(agentToken).crawlDelaySeconds ?? null;
      return seconds === null ? null : seconds * 1_000;
    }),
    robotsMs: null,
    slowdown: host.slowdown,
  });
}
