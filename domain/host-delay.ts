/**
 * The delays in force at a host: the host's delay between any two requests, made of what an operator has set, what its
 * robots.txt asks for, and its complaints; and the delay between two turns of each crawl.
 */
import { crawlDelayMs, hostDelayMs } from './pace.ts';
import { rulesForAll, type Robots } from './robots.ts';

interface PacedCrawl {
  /** What the crawl's settings ask for; null: nothing. */
  readonly config: { readonly delaySeconds: number | null; readonly delayFactor: number | null };
  /** The names the crawl goes by, ours first. */
  readonly agentTokens: readonly [product: string, ...own: string[]];
  /** The crawl's delay may be shorter than the default, but not shorter than what robots.txt asks for. */
  readonly mayHurry: boolean;
}

/** What an operator set for the host, and the learned slowdown, as in the host's row. */
interface HostManners {
  readonly settings: { readonly delaySeconds: number | null; readonly delayFactor: number | null };
  readonly slowdown: number;
}

/** The part of a pace that does not depend on the last answer. */
export interface Pace {
  readonly delayMs: number;
  /** The delay is at least this many times as long as the last answer took; null: no such bound. */
  readonly factor: number | null;
}

const crawlDelayFor = (robots: Robots | null, tokens: readonly string[]): number | null => {
  const seconds = robots === null ? null : rulesForAll(robots, tokens).crawlDelaySeconds;
  return seconds === null ? null : seconds * 1_000;
};

/** Whole milliseconds; null if the operator set no delay. */
export const operatorMs = ({ delaySeconds }: { readonly delaySeconds: number | null }): number | null =>
  delaySeconds === null ? null : Math.round(delaySeconds * 1_000);

/** The pace of all requests to a host together. @param crawls the crawls that have URLs to fetch there */
export function hostPace(host: HostManners, crawls: readonly PacedCrawl[], robots: Robots | null): Pace {
  const [product] = crawls[0]?.agentTokens ?? [];
  return {
    delayMs: hostDelayMs({
      operatorMs: operatorMs(host.settings),
      robotsMs: product === undefined ? null : crawlDelayFor(robots, [product]),
      hurriedMs: crawls.flatMap(({ config: { delaySeconds }, mayHurry }) =>
        mayHurry && delaySeconds !== null ? delaySeconds * 1_000 : [],
      ),
      slowdown: host.slowdown,
    }),
    factor: host.settings.delayFactor,
  };
}

/** Is it the Crawl-delay of robots.txt that spaces the requests to a host? */
export const goesByCrawlDelay = (
  { settings }: Pick<HostManners, 'settings'>,
  crawls: readonly Pick<PacedCrawl, 'agentTokens'>[],
  robots: Robots | null,
): boolean => {
  const [product] = crawls[0]?.agentTokens ?? [];
  return settings.delaySeconds === null && product !== undefined && crawlDelayFor(robots, [product]) !== null;
};

/** The pace of one crawl's turns at a host. */
export const crawlPace = (
  host: HostManners,
  { config, agentTokens, mayHurry }: PacedCrawl,
  robots: Robots | null,
): Pace => ({
  delayMs: crawlDelayMs({
    operatorMs: operatorMs(host.settings),
    robotsMs: crawlDelayFor(robots, agentTokens),
    askedMs: config.delaySeconds === null ? null : config.delaySeconds * 1_000,
    mayHurry,
    slowdown: host.slowdown,
  }),
  factor: host.settings.delayFactor ?? config.delayFactor,
});
