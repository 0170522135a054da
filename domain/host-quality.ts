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
  /** Given up, or answered with an error of the server. */
  readonly errors: number;
  /** Kept back as part of a trap. */
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
  const { urls, pages, duplicates, thin, errors, traps, inbound } = sample;
  const judged = pages + errors + traps;
  return {
    duplicates: share(duplicates, pages),
    thin: share(thin, pages - duplicates),
    errors: share(errors, pages + errors),
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
