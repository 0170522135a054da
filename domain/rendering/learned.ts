/**
 * What a host has shown about rendering: how many pages gained by it, and how many did not. Counted by shape of URL
 * (traps/shape.ts) and for the host as a whole, apart for shells and for other pages, since the same template may give
 * both. The counts are those of a Beta distribution. They halve with time, so that a site that was rebuilt is learned
 * anew.
 *
 * A page that could not be rendered to its end (a resource that is forbidden or failed, a budget, a crash) is no evidence:
 * it is not counted at all.
 */

/** Whole thousandths of pages, as of an instant: one row of integers. */
export interface Learned {
  /** Seconds since 1970. */
  readonly at: number;
  readonly shellsWon: number;
  readonly shellsLost: number;
  readonly othersWon: number;
  readonly othersLost: number;
}

/** What a reading has found. */
export interface Yield {
  readonly words: number;
  readonly links: number;
}

const page = 1_000;
const halfLife = 14 * 86_400;
/** Shares by which words or links must grow, and by how many at least: a clock or a counter is no gain. */
const growth = 0.2;
const leastWords = 10;
const leastLinks = 2;

export const isGain = (before: Yield, after: Yield): boolean =>
  grows(before.words, after.words, leastWords) || grows(before.links, after.links, leastLinks);

const grows = (before: number, after: number, least: number): boolean =>
  after - before >= Math.max(least, before * growth);

const nothing: Omit<Learned, 'at'> = { shellsWon: 0, shellsLost: 0, othersWon: 0, othersLost: 0 };

/** What is known at an instant. An instant before the last one, by another machine's clock, changes nothing. */
export function asOf(known: Learned | null, now: number): Learned {
  if (known === null) return { at: now, ...nothing };
  if (now <= known.at) return known;
  const left = 2 ** ((known.at - now) / halfLife);
  return {
    at: now,
    shellsWon: Math.round(known.shellsWon * left),
    shellsLost: Math.round(known.shellsLost * left),
    othersWon: Math.round(known.othersWon * left),
    othersLost: Math.round(known.othersLost * left),
  };
}

/** With one page more. @param now seconds since 1970 */
export function learn(
  known: Learned | null,
  seen: { readonly isShell: boolean; readonly gained: boolean },
  now: number,
): Learned {
  const then = asOf(known, now);
  const count = `${seen.isShell ? 'shells' : 'others'}${seen.gained ? 'Won' : 'Lost'}` as const;
  return { ...then, [count]: then[count] + page };
}

/** What is known of the pages like one page; null: nothing. */
export interface KnownGains {
  readonly shape: Learned | null;
  readonly host: Learned | null;
}

/** Shells of a shape that gain less often than this are skipped. So nine that gain nothing are rendered before that. */
const worthRendering = 0.1;
/** Other pages of a shape that gain as often as this are rendered. */
const worthTrying = 0.5;
const fewestPages = 2;

/** Of pages that would not be rendered: of the first ones of a shape, and of those that follow. */
const samplesAtFirst = 1 / 5;
const firstSamples = 3;
const samplesThen = 1 / 50;
/** Of shells that are skipped. */
const samplesOfSkipped = 1 / 10;

/** What follows for a page. `sample`: it is rendered to see whether pages like it gain. */
export type Advice = 'render' | 'sample' | 'skip' | null;

/**
 * Null: nothing speaks against the rule. Depends on what is given alone: the sample is chosen by the URL.
 * @param now seconds since 1970
 */
export function adviceFor(url: string, isShell: boolean, known: KnownGains, now: number): Advice {
  const shape = asOf(known.shape, now);
  const draw = drawOf(url);
  if (isShell) {
    if (shareWon(shape.shellsWon, shape.shellsLost) >= worthRendering) return null;
    return draw < samplesOfSkipped ? 'sample' : 'skip';
  }
  const pages = (shape.othersWon + shape.othersLost) / page;
  if (pages >= fewestPages && shareWon(shape.othersWon, shape.othersLost) >= worthTrying) return 'render';
  const host = asOf(known.host, now);
  if (host.shellsWon + host.othersWon < page / 2) return null;
  return draw < (pages < firstSamples ? samplesAtFirst : samplesThen) ? 'sample' : null;
}

/** The mean of Beta(1 + won, 1 + lost). */
const shareWon = (won: number, lost: number): number => (won + page) / (won + lost + 2 * page);

/** From 0 to below 1, spread evenly over URLs: FNV-1a with the last step of MurmurHash3. */
function drawOf(url: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < url.length; at++) hash = Math.imul(hash ^ url.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
