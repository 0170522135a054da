/**
 * What the pages of a host say about traps, within bounded memory: for the shapes that most of its pages have, the last
 * `window` pages of each; which texts came again; and a sample of its vocabulary. One value for each crawl and host, kept
 * in Postgres (storage/traps/), to which any process adds what it has read.
 *
 * A shape alone is no evidence: `/doc/1.html` to `/doc/5000.html` are one shape and no trap. Evidence is that the pages
 * of a shape say nothing new, or that they bring nothing but more of themselves (rules.ts).
 */
import { flags, newTermsShift, printShift, termsShift, window, type Group } from './group.ts';
import { scoreOf, usualLimits, type Accusation, type TrapLimits } from './rules.ts';
import { kindOfShape, wholeHost } from './shape.ts';
import { wordsThatTell, type TextPrint } from './text.ts';

/** Shapes kept of a host. A shape that is not among them takes the place of the one with the fewest pages. */
const mostGroups = 48;
/** Texts kept of a host, those met last. */
const mostTexts = 512;
/** A text that was met so often before says nothing new: fewer times could be copies of a site. */
const metOften = 3;
/** Bytes of the sample of the vocabulary. */
const vocabularyBytes = 2_048;
const vocabularyBits = vocabularyBytes * 8;
/** Milliseconds from which on an answer took long. */
const slowMs = 1_500;
/** Share of a host's URLs that makes a shape suspicious, once the host has so many. */
const lion = { share: 0.8, urls: 1_000 };
/** Shapes kept that hidden links led into. */
const mostEntries = 32;
const dayMs = 86_400_000;

/** One page that was read, or whose body was found to be that of another page. */
export interface Observation {
  /** Of its URL, the narrowest first. */
  readonly shapes: readonly string[];
  /** Null: the body is that of another page, and was not read. */
  readonly print: TextPrint | null;
  /** Stands for the body if there is no print. */
  readonly body: number;
  /** Links of the page to its own host. */
  readonly links: number;
  /** Of the links to its own host, those that were new to the crawl: how many have each shape. */
  readonly fresh: Readonly<Record<string, number>>;
  /** Of these, those that only links led to which people do not see: how many have each shape. */
  readonly hidden: Readonly<Record<string, number>>;
  readonly freshLinks: number;
  /** A shape that more links of the page have than `TrapLimits.crowd`; null: none. */
  readonly crowd: string | null;
  /** Milliseconds that the answer took; null: not known. */
  readonly tookMs: number | null;
  /** The host of the page, where hosts below a domain are watched; absent: one host is. */
  readonly from?: number;
}

export interface WatchState {
  pages: number;
  found: number;
  groups: Group[];
  /** Prints of texts with how often each was met, those met last at the end. */
  texts: [print: number, times: number][];
  /**
   * Shapes that pages of other shapes led into, first of all by links that people do not see: new URLs found so, and how
   * many of them by such links alone. Those met last at the end.
   */
  entries: [shape: string, found: number, hidden: number][];
  /** A bit for each term that was met, as base64; ''; none. */
  vocabulary: string;
}

export const noPages = (): WatchState => ({
  pages: 0,
  found: 0,
  groups: [],
  texts: [],
  entries: [],
  vocabulary: '',
});

/** What a standing quarantine or a release says of a shape. */
export type Standing = 'suspected' | 'held' | 'confirmed' | 'released';

export type Finding =
  /** The shape is a trap. */
  | { readonly kind: 'hold'; readonly shape: string; readonly accusation: Accusation }
  /** The shape may be one: its URLs go behind the others. */
  | { readonly kind: 'suspect'; readonly shape: string; readonly accusation: Accusation }
  /** It is no longer suspected. */
  | { readonly kind: 'clear'; readonly shape: string }
  /** Pages of a shape in quarantine were read: samples, and how many of them were new. */
  | { readonly kind: 'sample'; readonly shape: string; readonly pages: number; readonly novel: number };

/**
 * Adds pages of a host to what is known of it, and says what follows.
 * @param standings of shapes of this host; a shape that is not among them is free
 */
export function watchPages(
  state: WatchState,
  pages: readonly Observation[],
  standings: ReadonlyMap<string, Standing>,
  now: number,
  limits: TrapLimits = usualLimits,
): readonly Finding[] {
  const findings: Finding[] = [];
  const current = new Map(standings);
  const texts = new Map(state.texts);
  const vocabulary = new Vocabulary(state.vocabulary);
  const samples = new Map<string, { pages: number; novel: number }>();
  for (const page of pages) {
    state.pages++;
    state.found += page.freshLinks;
    const said = hear(page, texts, vocabulary);
    for (const shape of page.shapes) {
      const group = groupOf(state, shape);
      const shown = shownIn(page, shape, said);
      group.pages++;
      group.recent.push(shown);
      if (group.recent.length > window) group.recent.shift();
      const grew = flags.grew | flags.onlyNew;
      group.streak = (shown & grew) === grew ? group.streak + 1 : 0;
      const standing = current.get(shape);
      if (standing !== 'held' && standing !== 'confirmed') continue;
      const sample = samples.get(shape) ?? { pages: 0, novel: 0 };
      samples.set(shape, sample);
      sample.pages++;
      if (saysMore(shown)) sample.novel++;
    }
    countFound(state, page, now);
    countEntries(state, page);
    const held = page.shapes.some((shape) => isHeld(current.get(shape)));
    if (!held) judge({ state, vocabularyFull: vocabulary.isFull, limits }, page.shapes, current, findings);
  }
  for (const [shape, sample] of samples) findings.push({ kind: 'sample', shape, ...sample });
  findings.push(...suspicions({ state, vocabularyFull: vocabulary.isFull, limits }, current));
  state.texts = [...texts].slice(-mostTexts);
  state.vocabulary = vocabulary.written();
  return findings;
}

/** A text that is new says nothing for a maze, of which each page is new and leads deeper. */
const saysMore = (shown: number): boolean => {
  const deeper = flags.onlyNew | flags.alien;
  return (shown & flags.novel) !== 0 && (shown & deeper) !== deeper;
};

/** What is known of a host, and how it is judged. */
interface Watched {
  readonly state: WatchState;
  readonly vocabularyFull: boolean;
  readonly limits: TrapLimits;
}

const isHeld = (standing: Standing | undefined): boolean => standing === 'held' || standing === 'confirmed';

/**
 * The narrowest shape against which a rule has evidence is held; wider ones wait for what is left, and for narrower ones
 * that are suspected: a maze that fills the latest pages of a host must not be taken for the whole host.
 */
function judge(
  watched: Watched,
  shapes: readonly string[],
  current: Map<string, Standing>,
  findings: Finding[],
): void {
  const { state, vocabularyFull, limits } = watched;
  for (const shape of shapes) {
    if (current.get(shape) === 'released') continue;
    const group = state.groups.find((each) => each.shape === shape);
    if (group === undefined) continue;
    const { trap, suspect } = scoreOf(group, enteredHidden(state, shape), vocabularyFull, limits);
    if (trap === null && suspect !== null) return;
    if (trap === null || (shape === wholeHost && narrowerSuspected(watched))) continue;
    findings.push({ kind: 'hold', shape, accusation: trap });
    current.set(shape, 'held');
    // Its pages are part of all wider shapes, which must not be accused for them.
    for (const other of state.groups) if (shapes.includes(other.shape)) forget(other);
    return;
  }
}

const narrowerSuspected = ({ state, vocabularyFull, limits }: Watched): boolean =>
  state.groups.some(
    (group) =>
      group.shape !== wholeHost &&
      scoreOf(group, enteredHidden(state, group.shape), vocabularyFull, limits).suspect !== null,
  );

function suspicions(watched: Watched, current: ReadonlyMap<string, Standing>): Finding[] {
  return watched.state.groups.flatMap((group): Finding[] => {
    const { shape } = group;
    const standing = current.get(shape);
    if (isHeld(standing) || standing === 'released') return [];
    const suspect = shape === wholeHost ? null : suspicionOf(watched, group);
    if (suspect !== null && standing === undefined) return [{ kind: 'suspect', shape, accusation: suspect }];
    return suspect === null && standing === 'suspected' ? [{ kind: 'clear', shape }] : [];
  });
}

function suspicionOf({ state, vocabularyFull, limits }: Watched, group: Group): Accusation | null {
  const { suspect } = scoreOf(group, enteredHidden(state, group.shape), vocabularyFull, limits);
  if (suspect !== null) return suspect;
  // Once no word says anything any more, a text that was not met often is all that can be asked for.
  const isNovel = (page: number): boolean =>
    vocabularyFull ? (page & (flags.same | flags.numbers)) === 0 : (page & flags.novel) !== 0;
  const novel = group.recent.filter(isNovel).length;
  // Pages that say something new speak for their shape, however many URLs it has.
  if (group.recent.length >= 8 && novel * 2 >= group.recent.length) return null;
  const evidence = { pages: group.pages, novel, urls: group.found, today: group.today };
  if (group.crowded) return { rule: 'crowd', evidence: { ...evidence, limit: limits.crowd } };
  if (group.today > limits.flood) return { rule: 'flood', evidence };
  const isNarrow = kindOfShape(group.shape) === 'exact' || kindOfShape(group.shape) === 'query';
  if (isNarrow && state.found >= lion.urls && group.found > lion.share * state.found)
    return { rule: 'most-of-host', evidence: { ...evidence, ofHost: state.found } };
  return null;
}

interface Said {
  readonly flags: number;
  readonly terms: number;
  readonly newTerms: number;
  readonly print: number;
}

/** Compares what a page says with what was met, and remembers it. */
function hear({ print, body }: Observation, texts: Map<number, number>, vocabulary: Vocabulary): Said {
  if (print === null) {
    const often = meet(texts, body) >= metOften;
    return { flags: often ? flags.same | flags.numbers : 0, terms: 0, newTerms: 0, print: body };
  }
  const exact = meet(texts, print.exact) >= metOften && print.words >= wordsThatTell;
  const numbers = meet(texts, ~print.masked >>> 0) >= metOften;
  const newTerms = print.terms.filter((term) => vocabulary.add(term)).length;
  const shown =
    (exact ? flags.same : 0) |
    (numbers ? flags.numbers : 0) |
    (print.alien ? flags.alien : 0) |
    (!exact && !numbers && newTerms * 10 >= print.terms.length ? flags.novel : 0);
  return { flags: shown, terms: print.terms.length, newTerms, print: print.exact };
}

/** How often the print was met before. */
function meet(texts: Map<number, number>, print: number): number {
  const times = texts.get(print) ?? 0;
  texts.delete(print);
  texts.set(print, Math.min(times + 1, 255));
  return times;
}

function shownIn(page: Observation, shape: string, said: Said): number {
  const fresh = page.fresh[shape] ?? 0;
  const grew = fresh > 0 ? flags.grew : 0;
  const onlyNew = fresh > 0 && fresh * 2 >= page.links ? flags.onlyNew : 0;
  const counts = (said.terms << termsShift) | (said.newTerms << newTermsShift);
  const slow = page.tookMs !== null && page.tookMs >= slowMs ? flags.slow : 0;
  // Copies of a site lie beside it: below a loop, a body that any other page had says nothing new.
  const copy = page.print === null && kindOfShape(shape) === 'loop' ? flags.numbers : 0;
  return said.flags | copy | grew | onlyNew | slow | counts | ((markOf(page, said) & 0x7f) << printShift);
}

/** What tells pages of a group apart: their texts, or their hosts. */
const markOf = ({ from }: Observation, { print }: Said): number =>
  from === undefined ? print : Math.imul(from, 0x9e3779b1) >>> 25;

/** Counts the new URLs of all shapes that are watched. */
function countFound(state: WatchState, page: Observation, now: number): void {
  const day = Math.floor(now / dayMs);
  for (const group of state.groups) {
    const fresh = page.fresh[group.shape] ?? 0;
    if (group.shape === page.crowd) group.crowded = true;
    if (fresh === 0) continue;
    group.found += fresh;
    group.today = (group.day === day ? group.today : 0) + fresh;
    group.day = day;
  }
  if (page.crowd !== null && !state.groups.some(({ shape }) => shape === page.crowd))
    groupOf(state, page.crowd).crowded = true;
}

/**
 * A shape whose pages were read before any hidden link led there is one that people find, whatever leads there later: it
 * gets no entry.
 */
function countEntries(state: WatchState, page: Observation): void {
  for (const [shape, count] of Object.entries(page.hidden)) {
    if (page.shapes.includes(shape)) continue;
    const at = state.entries.findIndex(([known]) => known === shape);
    if (at < 0 && state.groups.some((group) => group.shape === shape)) continue;
    const [entry] = at < 0 ? [] : state.entries.splice(at, 1);
    const [, found, hidden] = entry ?? [shape, 0, 0];
    state.entries.push([shape, found, hidden + count]);
  }
  for (const entry of state.entries)
    if (!page.shapes.includes(entry[0])) entry[1] += page.fresh[entry[0]] ?? 0;
  state.entries = state.entries.slice(-mostEntries);
}

/** Of the new URLs of a shape to which pages of other shapes led, the share that only hidden links led to. */
function enteredHidden({ entries }: WatchState, shape: string): number {
  const [, found, hidden] = entries.find(([known]) => known === shape) ?? [shape, 0, 0];
  return found === 0 ? 0 : hidden / found;
}

/**
 * The group of a shape. If there is no room, the group with the fewest pages gives way, and the new one counts from its
 * pages on (SpaceSaving: Metwally, Agrawal and El Abbadi 2005), so that a frequent shape always gets in.
 */
function groupOf(state: WatchState, shape: string): Group {
  const known = state.groups.find((group) => group.shape === shape);
  if (known !== undefined) return known;
  const group: Group = {
    ...{ shape, pages: 0, found: 0, streak: 0, day: 0, today: 0, crowded: false, recent: [] },
  };
  if (state.groups.length >= mostGroups) {
    const least = state.groups.reduce((one, other) => (other.pages < one.pages ? other : one));
    state.groups.splice(state.groups.indexOf(least), 1);
    group.pages = least.pages;
  }
  state.groups.push(group);
  return group;
}

function forget(group: Group): void {
  group.recent = [];
  group.streak = 0;
}

/** A bit for each term: a term that shares its bit with another counts as met. */
class Vocabulary {
  readonly #bits: Uint8Array;
  #set = 0;

  constructor(written: string) {
    this.#bits = written === '' ? new Uint8Array(vocabularyBytes) : fromBase64(written);
    for (const byte of this.#bits) for (let rest = byte; rest > 0; rest &= rest - 1) this.#set++;
  }

  /** With half of the bits set, a word counts as known half of the time: it tells nothing any more. */
  get isFull(): boolean {
    return this.#set * 2 > vocabularyBits;
  }

  /** True: the term is new. */
  add(term: number): boolean {
    const bit = Math.floor(term / 8) % vocabularyBits;
    const at = bit >> 3;
    const before = this.#bits[at] ?? 0;
    const after = before | (1 << (bit & 7));
    this.#bits[at] = after;
    if (after !== before) this.#set++;
    return after !== before;
  }

  written(): string {
    return toBase64(this.#bits);
  }
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
