/** The delay in force at a host: what its operator, its crawls, its robots.txt and its own complaints ask for. */
import { effectiveDelayMs, factorInForce } from '../../domain/pace.ts';
import type { Robots } from '../../domain/robots.ts';
import type { OpenCrawl } from '../crawl-book.ts';

/** Milliseconds. @param host the operator's delay and the learned slowdown, as they stand in its row. */
function hostDelayMs(
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

/** What the pace is made of that answers do not change. */
export interface HostPace {
  readonly delayMs: number;
  /** The delay is at least this many times what the last answer took; null: it need not be. */
  readonly factor: number | null;
}

/** As `hostDelayMs`, with the factor that an operator or a crawl asks for. */
export const hostPace = (
  host: { readonly delay_ms: number | null; readonly delay_factor: number | null; readonly slowdown: number },
  crawls: readonly Pick<OpenCrawl, 'config' | 'agentToken'>[],
  robots: Robots | null,
): HostPace => ({
  delayMs: hostDelayMs(host, crawls, robots),
  // Crawls from before there was one name none.
  factor: factorInForce(
    host.delay_factor,
    crawls.map(({ config }) => config.delayFactor ?? null),
  ),
});
