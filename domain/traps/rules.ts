/**
 * The rules by which a shape of URLs is taken for a trap, each on what its pages showed (watch.ts). A shape is suspected
 * soon, and then its URLs go behind all others; it is held once so many of its pages were read that a site with something
 * to say would have said it. Every figure that decides goes into the evidence.
 */
import { isLoop, isOfParameter, isWide, wholeHost } from './shape.ts';

export const trapRules = [
  /** Ever further pages that say what others said: calendars, session ids, orders of a list, combinations of filters. */
  'nothing-new',
  /** Pages that lead to little but unknown pages like themselves, ever more of them: mazes, names without end. */
  'endless',
  /** Paths that repeat a part, or are very deep, and say nothing but where they are. */
  'loop',
  /** A parameter with which and without which, or with any of its values, pages have the same text. */
  'idle-parameter',
  /** Pages that ask not to be indexed: no trap, and never held, but least wanted. */
  'noindex',
  /** Pages of the host that are not there, though it answers as if they were (domain/soft-404/). */
  'soft-404',
  /** An operator has put the shape into quarantine. */
  'operator',
  /** A rule of an earlier version has found it. */
  'earlier',
] as const;
export type TrapRule = (typeof trapRules)[number];

/** Pages of a shape that are read before it is held, unless an operator says otherwise or the crawl has a limit. */
export const usualFloor = 1_000;
const leastFloor = 32;
/** A part of a site that says nothing new gets no more than one in so many of what a crawl may fetch. */
const shareOfLimit = 10;

/** What bounds the pages of a crawl at a host; null: nothing does. */
export interface CrawlBounds {
  readonly maxPages: number | null;
  readonly maxPagesPerHost: number | null;
  readonly maxSeconds: number | null;
  readonly delaySeconds: number;
  /** Of the host. */
  readonly requestsPerDay: number | null;
}

/** Pages of a shape that are read before it is held: a tenth of what a limit leaves, where that is less. */
export function floorUnder(bounds: CrawlBounds, usual: number): number {
  const { maxPages, maxPagesPerHost, maxSeconds, delaySeconds, requestsPerDay } = bounds;
  const inTime = maxSeconds === null || delaySeconds === 0 ? null : maxSeconds / delaySeconds;
  const pages = [maxPages, maxPagesPerHost, inTime, requestsPerDay].map((limit) => limit ?? Infinity);
  return Math.min(usual, Math.max(leastFloor, Math.floor(Math.min(...pages) / shareOfLimit)));
}

export type Evidence = Readonly<Record<string, number>>;

export interface Accusation {
  readonly rule: TrapRule;
  readonly evidence: Evidence;
}

/** What a page showed for a shape. Of the last pages the shares that did are kept, over a shorter and a longer time. */
export const marks = [
  /** It says what others said before: nothing new. */
  'same',
  /** It brings no word, number or picture that was not met. */
  'plain',
  /** It brought URLs of the shape that were new. */
  'grew',
  /** Four fifths of its links into the shape, and two at least, were new: pages that name each other soon have fewer. */
  'leads',
  /** An eighth of these does not lie deeper than the page: they make no tree, which would end. */
  'level',
  /** It is a combination: two different parts can be left out of its URL, and what remains was read. */
  'combined',
  /** Of a loop: it says what others said, the words of its URL left aside. */
  'echo',
] as const;
export type Mark = (typeof marks)[number];
export type Shares = Readonly<Record<Mark, number>>;

export interface Judged {
  readonly shape: string;
  /** Pages that were read. */
  readonly read: number;
  /** URLs that its pages brought. */
  readonly found: number;
  /** Pairs of URLs that differ in the shape's parameter alone, and have the same text or another. */
  readonly pairs: readonly [same: number, other: number];
  /** Of the last pages: over some 32 and some 128. */
  readonly lately: Shares;
  readonly longer: Shares;
}

/** Pages before which nothing is suspected. */
const early = 16;
const [nearlyAll, mostly] = [0.95, 0.85];
/** Of a held shape the share that said nothing new. */
const nothing = 0.9;

/** Of pages that each bring some of the next, in a bad order most bring none. */
const goesOn = 0.25;
const hasNoEnd = ({ grew, combined }: Shares): boolean => Math.max(grew, combined) >= goesOn;

/** Pages lead on, to others beside them: a tree ends somewhere. */
const isMaze = (judged: Judged, slack: number): boolean => {
  const { shape, read, found, longer } = judged;
  // A parameter has pages of all kinds: those of one may lead to those of another, and end there.
  if (isOfParameter(shape)) return false;
  // Of a chain each page brings one: it is read to its end as quickly as it grows.
  return longer.leads >= nearlyAll - slack && longer.level >= mostly - slack && found >= 1.5 * read;
};

/** By how much shares may be lower of what is suspected already, so that a shape does not come and go. */
export const slackOfSuspects = 0.25;

/**
 * What speaks against a shape; null: nothing. @param slack by how much shares may be lower (`slackOfSuspects`)
 */
export function suspicionOf(judged: Judged, floor: number, slack = 0): Accusation | null {
  const { shape, read, lately, pairs } = judged;
  const [same, other] = pairs;
  if (same >= 8 && same >= 9 * other) return { rule: 'idle-parameter', evidence: { read, same, other } };
  if (isLoop(shape))
    return read >= 8 && lately.echo >= 0.75 - slack
      ? { rule: 'loop', evidence: inFigures({ read, same: lately.echo }) }
      : null;
  if (read < early) return null;
  if (lately.plain >= mostly - slack && (slack > 0 || hasNoEnd(lately))) return nothingNew(judged);
  if (read >= floor / shareOfLimit && isMaze(judged, slack)) return endless(judged);
  return null;
}

/** Why a shape that is suspected is held; null: it is not yet. */
export function chargeAgainst(judged: Judged, floor: number): Accusation | null {
  const { shape, read, longer } = judged;
  if (isLoop(shape)) return read >= early ? suspicionOf(judged, floor, slackOfSuspects) : null;
  if (read < floor) return null;
  if (longer.same >= nothing && hasNoEnd(longer)) return nothingNew(judged);
  return isMaze(judged, 0) ? endless(judged) : null;
}

/** Pages in a row that ask not to be indexed before their shape goes last; of a wide one more, since its parts may differ. */
export const leastUnindexed = (shape: string): number => (isWide(shape) ? 128 : 32);

/**
 * Why URLs of a shape that is no trap go behind the others; null: they do not.
 * @param unindexed the last pages of the shape, in a row, that asked not to be indexed
 */
export function deferralOf(shape: string, unindexed: number): Accusation | null {
  // Of a whole host there is nothing else that could go before.
  if (shape === wholeHost || unindexed < leastUnindexed(shape)) return null;
  return { rule: 'noindex', evidence: { unindexed } };
}

const nothingNew = ({ read, found, longer: { plain, same, grew } }: Judged): Accusation => ({
  rule: 'nothing-new',
  evidence: inFigures({ read, found, plain, same, grew }),
});

const endless = ({ read, found, longer: { leads, level } }: Judged): Accusation => ({
  rule: 'endless',
  evidence: inFigures({ read, found, leads, level }),
});

const inFigures = (figures: Evidence): Evidence =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]),
  );

const percent = (share: number | undefined): string => `${String(Math.round((share ?? 0) * 100))} %`;

/** What a rule found, as a sentence for people. */
export function accusationText({ rule, evidence }: Accusation): string {
  const { read = 0, same = 0 } = evidence;
  const of = `after ${String(read)} pages`;
  switch (rule) {
    case 'nothing-new':
      return same >= nothing
        ? `${of}, ${percent(same)} of the last ones say what others said, and ${percent(evidence['grew'])} brought further ones`
        : `${of}, ${percent(evidence['plain'])} of the last ones bring no new word, number or picture, and ${percent(evidence['grew'])} brought further ones`;
    case 'endless':
      return `${of}, ${percent(evidence['leads'])} of the last ones lead to little but unknown pages of the same kind, of which ${String(evidence['found'] ?? 0)} were found`;
    case 'loop':
      return `${percent(same)} of the last of ${String(read)} pages say what others said, but for the words of their URLs`;
    case 'idle-parameter':
      return `the parameter changes nothing: ${String(same)} of ${String(same + (evidence['other'] ?? 0))} pairs of pages that differ in it alone have the same text`;
    case 'noindex':
      return `the last ${String(evidence['unindexed'] ?? 0)} pages of the shape ask not to be indexed`;
    case 'soft-404':
      return softText(evidence);
    case 'operator':
      return 'an operator put it there';
    case 'earlier':
      return 'a rule of an earlier version put it there';
  }
}

function softText({ redirects, pages, of }: Evidence): string {
  if (of !== undefined) return `${String(pages ?? 0)} of ${String(of)} pages of the host have the same text`;
  return redirects === 1
    ? 'the host redirects a made-up path there, as it does these pages'
    : 'the host answers a made-up path with status 200 and the text of these pages';
}
