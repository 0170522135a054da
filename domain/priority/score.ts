/**
 * The score of a page (F02): hostQuality × the weighted sum of its signals, each between 0 and 1. The weights are settings of the crawl and sum to 1, so the score lies in (0, 1] and each of its parts can be
 * read off. With its default weight of 0.5 the signal `depth` is the base formula of F02:
 * 0.5 · hostQuality · sqrt(parentPriority) · 1/(1 + depth).
 */

export interface PrioritySignals {
  /** Links from a seed. */
  readonly depth: number;
  /** The score of the page that names this one, in (0, 1]; 1 where no page does. */
  readonly parentPriority: number;
  /** Segments of the path. */
  readonly nesting: number;
  /** The page is the root of its host. */
  readonly home: boolean;
  /** From 0, unknown, to 1, listed as trusted (trust.ts). */
  readonly trusted: number;
  /** From 0 to 1, for a date of today in its address or in a sitemap (url-date.ts). */
  readonly freshness: number;
  /** The later date is that of a sitemap. */
  readonly dateOfSitemap: boolean;
  /** Distinct other hosts that link to the page, and distinct pages of its own host. */
  readonly inboundHosts: number;
  readonly inboundPages: number;
  /** What the links to the page promise of the crawl's focus, from 0 to 1 (domain/relevance/focus.ts). */
  readonly relevance: number;
  /** From 0, worthless, to 1. */
  readonly hostQuality: number;
}

/** The signals that have a weight, in the order in which a score is explained. */
export const weighedSignals = [
  'depth',
  'inbound',
  'internal',
  'nesting',
  'home',
  'trusted',
  'freshness',
  'relevance',
] as const;
export type WeighedSignal = (typeof weighedSignals)[number];
export type PriorityWeights = Readonly<Record<WeighedSignal, number>>;
/** As a crawl's settings name them. */
export type GivenWeights = { readonly [S in WeighedSignal]?: number | undefined };

/** Of crawls without a focus. Chosen by `npm run bench -- priority`, as the others. */
export const defaultWeights: PriorityWeights = {
  depth: 0.5,
  inbound: 0.15,
  internal: 0.1,
  nesting: 0.1,
  home: 0.1,
  trusted: 0.05,
  freshness: 0,
  relevance: 0,
};

/** Of crawls with a focus. */
export const focusedWeights: PriorityWeights = {
  depth: 0.1,
  inbound: 0.05,
  internal: 0.03,
  nesting: 0,
  home: 0.02,
  trusted: 0,
  freshness: 0,
  relevance: 0.8,
};

/** All weights of a crawl; null: the default. A signal that is not named counts for nothing. */
export function weightsOf(given: GivenWeights | null, hasFocus: boolean): PriorityWeights {
  if (given === null) return hasFocus ? focusedWeights : defaultWeights;
  const { depth = 0, inbound = 0, internal = 0, nesting = 0 } = given;
  const { home = 0, trusted = 0, freshness = 0, relevance = 0 } = given;
  return { depth, inbound, internal, nesting, home, trusted, freshness, relevance };
}

/** Weights sum to 1 within this: thirds cannot be written exactly. */
export const weightTolerance = 0.01;

export interface ScorePart {
  readonly signal: WeighedSignal;
  /** Of the signal, from 0 to 1. */
  readonly value: number;
  readonly weight: number;
}

export interface Score {
  readonly score: number;
  /** Those with a weight; their sum of value × weight, times `factor`, is the score. */
  readonly parts: readonly ScorePart[];
  readonly factor: number;
}

/** Links count by the power of two that they reach; more than this many say nothing new. */
const mostLinks = 256;
/** The lowest score: a page that nothing speaks for still goes before all that have failed. */
const least = 1e-4;

/** No links: 0; 1: 0.12; 15: 0.5; 256 and more: 1. */
const linkValue = (links: number): number => Math.min(1, Math.log2(1 + links) / Math.log2(1 + mostLinks));

const values: Readonly<Record<WeighedSignal, (signals: PrioritySignals) => number>> = {
  depth: ({ depth, parentPriority }) => Math.sqrt(parentPriority) / (1 + depth),
  inbound: ({ inboundHosts }) => linkValue(inboundHosts),
  internal: ({ inboundPages }) => linkValue(inboundPages),
  nesting: ({ nesting }) => 1 / (1 + nesting),
  home: ({ home }) => (home ? 1 : 0),
  trusted: ({ trusted }) => trusted,
  freshness: ({ freshness }) => freshness,
  relevance: ({ relevance }) => relevance,
};

/** Path segments of a URL, and whether it is the root of its host. @param path with its query, as `/a/b?c` */
export function placeInSite(path: string): Pick<PrioritySignals, 'nesting' | 'home'> {
  let nesting = 0;
  for (let at = 1; at < path.length && path[at] !== '?'; at++)
    if (path[at] !== '/' && path[at - 1] === '/') nesting++;
  return { nesting, home: path === '/' || path === '' };
}

export function score(signals: PrioritySignals, weights: PriorityWeights): Score {
  const parts = weighedSignals.flatMap((signal) => {
    const weight = weights[signal];
    return weight === 0 ? [] : [{ signal, weight, value: values[signal](signals) }];
  });
  const factor = signals.hostQuality;
  const sum = parts.reduce((all, { value, weight }) => all + value * weight, 0);
  return { score: Math.min(1, Math.max(least, sum * factor)), parts, factor };
}
