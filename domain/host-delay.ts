/**
 * The delays in force at a host: that of all requests together, made of what its operator, its robots.txt and its own
 * complaints ask for, and that of each crawl's own turns.
 */
import { crawlDelayMs, hostDelayMs } from './pace.ts';
import { rulesForAll, type Robots } from './robots.ts';

interface PacedCrawl {
  /** As it was asked for; null: nothing. */
  readonly config: { readonly delaySeconds: number | null; readonly delayFactor: number | null };
  /** The names it goes by, ours first. */
  readonly agentTokens: readonly [product: string, ...own: string[]];
  /** Its delay may be shorter than the default, though not than what robots.txt asks for. */
  readonly leave: boolean;
}

/** What its operator set, and the learned slowdown, as they stand in the host's row. */
interface HostManners {
  readonly delay_ms: number | null;
  readonly delay_factor: number | null;
  readonly slowdown: number;
}

/** What a pace is made of that answers do not change. */
export interface Pace {
  readonly delayMs: number;
  /** The delay is at least this many times what the last answer took; null: it need not be. */
  readonly factor: number | null;
}

const crawlDelayFor = (robots: Robots | null, tokens: readonly string[]): number | null => {
  const seconds = robots === null ? null : rulesForAll(robots, tokens).crawlDelaySeconds;
  return seconds === null ? null : seconds * 1_000;
};

/** Of all requests of a host together. @param crawls those that would send some */
export function hostPace(host: HostManners, crawls: readonly PacedCrawl[], robots: Robots | null): Pace {
  const [product] = crawls[0]?.agentTokens ?? [];
  return {
    delayMs: hostDelayMs({
      operatorMs: host.delay_ms,
      robotsMs: product === undefined ? null : crawlDelayFor(robots, [product]),
      leavesMs: crawls.flatMap(({ config: { delaySeconds }, leave }) =>
        leave && delaySeconds !== null ? delaySeconds * 1_000 : [],
      ),
      slowdown: host.slowdown,
    }),
    factor: host.delay_factor,
  };
}

/** Of the turns of one crawl. */
export const crawlPace = (
  host: HostManners,
  { config, agentTokens, leave }: PacedCrawl,
  robots: Robots | null,
): Pace => ({
  delayMs: crawlDelayMs({
    operatorMs: host.delay_ms,
    robotsMs: crawlDelayFor(robots, agentTokens),
    askedMs: config.delaySeconds === null ? null : config.delaySeconds * 1_000,
    leave,
    slowdown: host.slowdown,
  }),
  factor: host.delay_factor ?? config.delayFactor,
});
