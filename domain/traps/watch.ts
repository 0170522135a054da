/**
 * What the pages of a host say about traps, within bounded memory: for the shapes that most of its pages have, which
 * shares of the last pages said nothing new or led on; which texts, words and URLs were met. One value for each crawl and
 * host, kept in Postgres (storage/traps/), to which any process adds what it has read.
 *
 *   free       Nothing speaks against the shape (rules.ts). A shape alone is no evidence: `/doc/1.html` to
 *              `/doc/5000.html` are one shape and no trap.
 *   suspected  Its last pages say nothing new, or lead on and on: its URLs go behind all others. It is cleared when its
 *              pages say more.
 *   deferred   Its last pages ask not to be indexed (noindex): its URLs go behind all others too, until one page does not.
 *              Whatever is said of traps is said of it as of a free one.
 *   held       So many of its pages were read that there is no doubt: its URLs are kept back. Only a shape that was
 *              suspected before is held, never one that the same pages show for the first time.
 */
import { Met } from './met.ts';
import {
  chargeAgainst,
  deferralOf,
  leastUnindexed,
  marks,
  slackOfSuspects,
  suspicionOf,
  type Accusation,
  type Judged,
  type Mark,
} from './rules.ts';
import { wholeHost, withParameter, type Shortened } from './shape.ts';
import { hashOf, type PagePrint } from './text.ts';

/** Shapes kept of a host. A shape that is not among them takes the place of the one with the fewest pages. */
const mostGroups = 64;
/** A text that was met so often before says nothing new: fewer times could be copies of a site. */
const metOften = 3;
/** Bits that remember texts and URLs, and words. */
const [textBits, wordBits] = [2 ** 16, 2 ** 15];
/** Pages over which the shares of a shape reach back. */
const [lately, longer] = [32, 128];

/** What the links of a page to one of its own shapes came to. */
export interface LinksInto {
  readonly links: number;
  /** New to the crawl. */
  readonly fresh: number;
  /** Of these, the ones that do not lie deeper than the page. */
  readonly level: number;
}

/** One page that was read, or whose body was found to be that of another page. */
export interface Observation {
  /** Of its URL, the narrowest first. */
  readonly shapes: readonly string[];
  /** Its URL as others are compared with it, and what remains if one part is left out. */
  readonly whole: string;
  readonly without: readonly Shortened[];
  /** Null: the body is that of another page, and was not read. */
  readonly print: PagePrint | null;
  /** Stands for the body if there is no print. */
  readonly body: number;
  /** It asks not to be indexed; null: nobody knows, as of a body that was not read. */
  readonly noindex: boolean | null;
  /** By the page's own shapes. */
  readonly into: Readonly<Record<string, LinksInto>>;
}

/** What is known of the pages of one shape. */
interface Group {
  readonly shape: string;
  /** By which the group keeps its place among the others. */
  weight: number;
  read: number;
  found: number;
  pairs: [same: number, other: number];
  /** Pages that no narrower shape explains that is suspected, and in the order of `marks` the shares of the last. */
  alone: number;
  lately: number[];
  /** Of all its pages. */
  longer: number[];
  /** The last pages in a row that ask not to be indexed, without those of a narrower shape that is last; absent: none did. */
  unindexed?: number;
}

export interface WatchState {
  groups: Group[];
  /** `Met`; '': nothing. */
  texts: string;
  words: string;
}

export const noPages = (): WatchState => ({ groups: [], texts: '', words: '' });

/** What a quarantine that holds, or a release, says of a shape. Deferred: suspected by the rule `noindex` alone. */
export type ShapeStatus = 'suspected' | 'deferred' | 'held' | 'confirmed' | 'released';

export type Finding =
  /** The shape is a trap. */
  | { readonly kind: 'hold'; readonly shape: string; readonly accusation: Accusation }
  /** The shape may be one, or its pages ask not to be indexed: its URLs go behind the others. */
  | { readonly kind: 'suspect'; readonly shape: string; readonly accusation: Accusation }
  /** It is no longer suspected. */
  | { readonly kind: 'clear'; readonly shape: string }
  /** Pages of a shape in quarantine were read: samples, and how many of them were new. */
  | { readonly kind: 'sample'; readonly shape: string; readonly pages: number; readonly novel: number };

/**
 * Adds pages of a host to what is known of it, and says what follows.
 * @param statuses of shapes of this host; a shape that is not among them is free
 * @param floor pages of a shape that are read before it is held
 */
export function watchPages(
  state: WatchState,
  pages: readonly Observation[],
  statuses: ReadonlyMap<string, ShapeStatus>,
  floor: number,
): readonly Finding[] {
  const texts = new Met(textBits, state.texts);
  const words = new Met(wordBits, state.words);
  const samples = new Map<string, { pages: number; novel: number }>();
  for (const page of pages) {
    const said = hear(page, texts, words);
    let explained = false;
    let isLast = false;
    for (const shape of page.shapes) {
      const status = statuses.get(shape);
      const group = groupOf(state, shape);
      const shown = shownIn(page, shape, said);
      note(group, shown, explained);
      noteIndexing(group, page.noindex, status, isLast);
      explained ||= status === 'suspected';
      isLast ||= status === 'suspected' || status === 'deferred';
      group.found += page.into[shape]?.fresh ?? 0;
      if (!isHeld(status)) continue;
      const sample = samples.get(shape) ?? { pages: 0, novel: 0 };
      samples.set(shape, sample);
      sample.pages++;
      // A text that is new says nothing for a maze, of which each page is new and leads on.
      if (!shown.same && !shown.leads) sample.novel++;
    }
    for (const [name, isSame] of said.pairs) groupOf(state, withParameter(name)).pairs[isSame ? 0 : 1]++;
  }
  state.texts = texts.written();
  state.words = words.written();
  const held = holds(state, pages, statuses, floor);
  const open = state.groups.filter(({ shape }) => !held.some((hold) => hold.shape === shape));
  const findings = [...held, ...suspicions(open, statuses, floor)];
  for (const group of state.groups) round(group);
  return [
    ...findings,
    ...[...samples].map(([shape, sample]) => ({ kind: 'sample' as const, shape, ...sample })),
  ];
}

const isHeld = (status: ShapeStatus | undefined): boolean => status === 'held' || status === 'confirmed';

type Shown = Readonly<Record<Mark, boolean>>;

/** What a page says, whatever its shape. */
interface Said extends Pick<Shown, 'same' | 'plain' | 'combined' | 'echo'> {
  /** Parameters without which, or with another value of which, a URL was read, and whether it had the same text. */
  readonly pairs: readonly (readonly [name: string, isSame: boolean])[];
}

/** Compares what a page says with what was met, and remembers it. */
function hear({ print, body, whole, without }: Observation, texts: Met, words: Met): Said {
  // A body that another page had was not read: it is known by itself.
  const [said, own] = [print?.said ?? body, mix(body, 'body')];
  const echoed = print === null || !texts.add(mix(print.echo, 'echo'));
  const newTerms = print?.terms.filter((term) => words.add(term)).length ?? 0;
  let known = 0;
  const pairs: (readonly [name: string, isSame: boolean])[] = [];
  const keys: number[] = [hashOf(whole)];
  for (const { name, rest } of without) {
    const [self, sibling] = [hashOf(rest), hashOf(`${name ?? ''} ${rest}`)];
    if (texts.has(self)) known++;
    if (name === null) continue;
    const met = [self, sibling].filter((key) => texts.has(key));
    const isSame = (key: number): boolean => texts.has(mix(said, key)) || texts.has(mix(own, key));
    if (met.length > 0) pairs.push([name, met.some(isSame)]);
    keys.push(sibling);
  }
  for (const key of keys) {
    for (const known of [key, mix(said, key), mix(own, key)]) texts.add(known);
  }
  const combined = known > 1;
  const often = timesMet(said, texts) >= metOften;
  const plain = newTerms === 0;
  // One parameter is no combination: of a combination that brings no new word nothing is left to say.
  return {
    same: often || (combined && plain),
    plain,
    combined,
    echo: echoed,
    pairs,
  };
}

const mix = (hash: number, salt: number | string): number => hashOf(`${String(hash)} ${String(salt)}`);

/** How often a text was met before, up to `metOften`; it is met once more. */
function timesMet(said: number, texts: Met): number {
  for (let times = 0; times < metOften; times++)
    if (texts.add(mix(said, `times ${String(times)}`))) return times;
  return metOften;
}

function shownIn({ into }: Observation, shape: string, said: Said): Shown {
  const { links, fresh, level } = into[shape] ?? { links: 0, fresh: 0, level: 0 };
  const leads = fresh >= 2 && fresh * 5 >= links * 4;
  const { same, plain, combined, echo } = said;
  return { same, plain, combined, echo, grew: fresh > 0, leads, level: level * 8 >= fresh };
}

/** @param explained a narrower shape is suspected for it: a wider one is not suspected for the same pages */
function note(group: Group, shown: Shown, explained: boolean): void {
  group.weight++;
  group.read++;
  if (!explained) group.alone++;
  for (const [at, mark] of marks.entries()) {
    const seen = Number(shown[mark]);
    if (!explained) move(group.lately, at, seen, Math.min(group.alone, lately));
    move(group.longer, at, seen, Math.min(group.read, longer));
  }
}

/**
 * A page that may be indexed frees each of its shapes.
 * @param isLast a narrower shape is last for it: a wider one is not for the same pages
 */
function noteIndexing(
  group: Group,
  noindex: boolean | null,
  status: ShapeStatus | undefined,
  isLast: boolean,
): void {
  if (noindex === null) return;
  // A group that had lost its place goes on where it was.
  const before = group.unindexed ?? (status === 'deferred' ? leastUnindexed(group.shape) : 0);
  if (noindex) group.unindexed = before + (isLast ? 0 : 1);
  else if (before > 0) group.unindexed = 0;
}

function move(shares: number[], at: number, seen: number, pages: number): void {
  const before = shares[at] ?? 0;
  shares[at] = before + (seen - before) / pages;
}

const judgedOf = ({ shape, read, found, pairs, lately: late, longer: long }: Group): Judged => {
  const shares = (of: readonly number[]) =>
    Object.fromEntries(marks.map((mark, at) => [mark, of[at] ?? 0])) as Record<Mark, number>;
  return { shape, read, found, pairs, lately: shares(late), longer: shares(long) };
};

/** The narrowest shape against which there is evidence is held. */
function holds(
  { groups }: WatchState,
  pages: readonly Observation[],
  statuses: ReadonlyMap<string, ShapeStatus>,
  floor: number,
): Finding[] {
  const held = new Map<string, Accusation>();
  const byShape = new Map(groups.map((group) => [group.shape, group]));
  const isSuspected = (shape: string): boolean => statuses.get(shape) === 'suspected';
  for (const { shapes } of pages) {
    for (const shape of shapes) {
      const group = byShape.get(shape);
      if (group === undefined) continue;
      if (isHeld(statuses.get(shape)) || held.has(shape)) break;
      if (!isSuspected(shape)) continue;
      const charge = chargeAgainst(judgedOf(group), floor);
      if (charge === null) continue;
      held.set(shape, charge);
      break;
    }
  }
  for (const shape of held.keys()) {
    // Its pages are part of wider shapes, which must not be accused for them.
    for (const { shapes } of pages)
      if (shapes.includes(shape)) for (const other of shapes) forget(byShape.get(other));
  }
  return [...held].map(([shape, accusation]) => ({ kind: 'hold', shape, accusation }));
}

/** What a shape is while it is suspected by a rule. */
export const statusBy = ({ rule }: Accusation): ShapeStatus =>
  rule === 'noindex' ? 'deferred' : 'suspected';

function suspicions(
  groups: readonly Group[],
  statuses: ReadonlyMap<string, ShapeStatus>,
  floor: number,
): Finding[] {
  const anyNarrower = groups.some(({ shape }) => {
    const status = statuses.get(shape);
    return shape !== wholeHost && (status === 'suspected' || isHeld(status));
  });
  return groups.flatMap((group): Finding[] => {
    const { shape } = group;
    const status = statuses.get(shape);
    if (status === 'released' || isHeld(status)) return [];
    const slack = status === 'suspected' ? slackOfSuspects : 0;
    // A host of which one part is a trap is not one.
    const isParted = shape === wholeHost && anyNarrower;
    const suspicion = isParted ? null : suspicionOf(judgedOf(group), floor, slack);
    const accusation = suspicion ?? deferralOf(shape, group.unindexed ?? 0);
    if (accusation === null) return status === undefined ? [] : [{ kind: 'clear', shape }];
    return status === statusBy(accusation) ? [] : [{ kind: 'suspect', shape, accusation }];
  });
}

/**
 * The group of a shape. If there is no room, the group with the least weight gives way, and the new one has its weight
 * (SpaceSaving: Metwally, Agrawal and El Abbadi 2005), so that a frequent shape always gets in.
 */
function groupOf(state: WatchState, shape: string): Group {
  const known = state.groups.find((group) => group.shape === shape);
  if (known !== undefined) return known;
  const none = (): number[] => marks.map(() => 0);
  let weight = 0;
  if (state.groups.length >= mostGroups) {
    const least = state.groups.reduce((one, other) => (other.weight < one.weight ? other : one));
    state.groups.splice(state.groups.indexOf(least), 1);
    ({ weight } = least);
  }
  const group: Group = {
    shape,
    weight,
    read: 0,
    alone: 0,
    found: 0,
    pairs: [0, 0],
    lately: none(),
    longer: none(),
  };
  state.groups.push(group);
  return group;
}

/** Shares are stored with four places. */
function round(group: Group): void {
  const rounded = (share: number): number => Math.round(share * 10_000) / 10_000;
  group.lately = group.lately.map(rounded);
  group.longer = group.longer.map(rounded);
}

function forget(group: Group | undefined): void {
  if (group === undefined) return;
  group.read = 0;
  group.alone = 0;
  group.found = 0;
  group.lately.fill(0);
  group.longer.fill(0);
}
