/**
 * The front queues (F03). A host waits, for each crawl, in the tier of the best URL that the crawl has due there, and in
 * one of two classes: hosts of authority, and the long tail. Tiers decide within a crawl which host comes next, never
 * between crawls or tenants: only scores of one crawl can be compared, and a tenant that calls all its URLs urgent must
 * gain nothing by it.
 */

/** 0: high, 1: medium, 2: low. */
export type Tier = 0 | 1 | 2;
export const tiers: readonly Tier[] = [0, 1, 2];
export const tierNames = ['high', 'medium', 'low'] as const;

/**
 * Lowest priorities (domain/priority/) of the tiers high (seeds, and pages close to them) and medium (pages that another
 * signal speaks for). All other URLs, and those that failed, are in the tier low. SQL has the same bounds in `front_tier`.
 */
export const tierBounds = [0.3, 0.12] as const;

export const tierOf = (priority: number): Tier =>
  priority >= tierBounds[0] ? 0 : priority >= tierBounds[1] ? 1 : 2;

/** Whether more hosts wait than can be served soon (load.ts). */
export type LoadMode = 'normal' | 'loaded';

/** One number for each tier. */
export type ByTier = readonly [high: number, medium: number, low: number];

/** Shares of the places that are given by tier. */
export const tierWeights: Readonly<Record<LoadMode, ByTier>> = {
  normal: [0.6, 0.3, 0.1],
  loaded: [0.8, 0.15, 0.05],
};

/** One place in so many explores: it goes to a host of the lowest tier that waits, first of the long tail. */
export const exploreEvery = 5;

/** Share of the places of a tier that hosts of authority get while hosts of both classes wait. */
export const authorityShare = 0.6;

/** The share of all places that each tier gets while all wait, those that explore included. */
export const sharesOfPlaces = (mode: LoadMode): ByTier => {
  const [high, medium, low] = tierWeights[mode];
  const explored = 1 / exploreEvery;
  return [high * (1 - explored), medium * (1 - explored), low * (1 - explored) + explored];
};
