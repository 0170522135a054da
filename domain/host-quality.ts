/**
 * The quality of a host (F30), from 0 to 1: from a sample of its URLs, looked at once a day. A host that is not known is
 * worth 1. What speaks against it multiplies, so each part can be read off; links from other hosts make up for a part of
 * it. A look moves the quality half of the way, so a host sinks within days, and comes back in as many.
 */

/** URLs of a host that were looked at. */
export interface HostSample {
  readonly urls: number;
  /** Answered with a page. */
  readonly pages: number;
  /** Pages whose body or text is that of another page. */
  readonly duplicates: number;
  /** Pages that were read and have fewer than `thinWords` words. */
  readonly thin: number;
  /** Requests of late, and how many of them failed or were answered with an error of the server. */
  readonly asked: number;
  readonly failed: number;
  /** Kept back as part of a trap that the rules found: an operator's word counts in the operator's crawl alone. */
  readonly traps: number;
  /** Other hosts whose pages name URLs of this one. */
  readonly inbound: number;
}

export const thinWords = 50;

/** Shares from 0 to 1, and what they leave of the quality. */
export interface QualityParts {
  readonly duplicates: number;
  readonly thin: number;
  readonly errors: number;
  readonly traps: number;
  readonly inbound: number;
  /** How far the sample tells: few URLs say little. */
  readonly certainty: number;
}

/** What each part takes at most. */
const costs = { duplicates: 0.4, thin: 0.4, errors: 0.6, traps: 0.8 } as const;
/** The part of what was lost that links from other hosts make up for, and the number of hosts that suffices. */
const redeemed = 0.3;
const mostInbound = 15;
/** URLs at which a sample is half certain. */
const halfCertain = 20;

const share = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.min(1, part / whole));

export function qualityParts(sample: HostSample): QualityParts {
  const { urls, pages, duplicates, thin, asked, failed, traps, inbound } = sample;
  const judged = pages + failed + traps;
  return {
    duplicates: share(duplicates, pages),
    thin: share(thin, pages - duplicates),
    errors: share(failed, asked),
    traps: share(traps, urls),
    inbound: Math.min(1, Math.log2(1 + inbound) / Math.log2(1 + mostInbound)),
    certainty: judged / (judged + halfCertain),
  };
}

/** What a sample alone says. */
export function sampledQuality({ inbound, certainty, ...against }: QualityParts): number {
  const left = Object.entries(costs).reduce(
    (product, [part, cost]) => product * (1 - cost * against[part as keyof typeof costs]),
    1,
  );
  return 1 - certainty * (1 - left) * (1 - redeemed * inbound);
}

/** The quality after a look. @param before 1 for a host that was not looked at yet */
export const nextQuality = (before: number, parts: QualityParts): number =>
  Math.min(1, Math.max(0, (before + sampledQuality(parts)) / 2));

/** At least this, and a host counts as good: nothing follows from its quality. */
export const goodQuality = 0.9;
/** Below this an operator is asked to look. */
export const reviewQuality = 0.5;
/** Below this only so many links of a page are taken (F23). */
const poorQuality = 0.4;
const linksOfPoorHost = 200;

/** Most links that are taken from a page of a host. */
export const linksTaken = (most: number, quality: number): number =>
  quality < poorQuality ? Math.min(most, linksOfPoorHost) : most;

/** Requests after which a visit counts half as much among a host's requests of late. */
export const halfForgotten = 64;
/** Fewer requests of late do not show that a host is failing. */
const enoughAsked = 40;
/** Shares of failed requests: above the first a host is left for later, below the second it no longer is. */
const failing = { above: 0.5, below: 0.3 } as const;

/** Do so many of a host's requests fail that it is left for later? @param before what the last look said */
export function isLeftForLater(
  { asked, failed }: Pick<HostSample, 'asked' | 'failed'>,
  before: boolean,
): boolean {
  if (asked < enoughAsked) return before;
  return share(failed, asked) > (before ? failing.below : failing.above);
}

/** Requests a day that tell whether a host that is left for later is mended. */
const triesPerDay = 50;
/** Of a host of quality 0, and of one that is just not good; between them by equal factors. */
const budgets = { least: 100, most: 100_000 } as const;

/**
 * Requests a day that a host is worth; null: as many as any host. What is beyond them waits for the next day, and is
 * not dropped. In whole hundreds from a thousand on.
 */
export function dailyBudget(quality: number, later: boolean): number | null {
  if (later) return triesPerDay;
  if (quality >= goodQuality) return null;
  const budget = budgets.least * (budgets.most / budgets.least) ** (quality / goodQuality);
  const unit = budget < 1_000 ? 10 : 100;
  return Math.round(budget / unit) * unit;
}

/** Places of a ranking that make an authority, and links from other hosts that do. */
export const rankOfAuthority = 100_000;
const inboundOfAuthority = 0.75;

/**
 * Is the host an authority in every crawl (1), in none (-1), or only where a seed names it (0)?
 * @param place in the imported ranking; null: none. @param inbound as in `QualityParts`; null: nobody has looked
 */
export function esteemOf(
  quality: number,
  later: boolean,
  place: number | null,
  inbound: number | null,
): -1 | 0 | 1 {
  if (later || quality < reviewQuality) return -1;
  if (quality < goodQuality) return 0;
  return (place !== null && place <= rankOfAuthority) || (inbound ?? 0) >= inboundOfAuthority ? 1 : 0;
}
