/**
 * The rules by which a shape of URLs is taken for a trap, each on what its last pages showed (group.ts). A rule that
 * accuses has a number of pages and shares that a site with something to say does not reach; half of it makes a suspect,
 * whose URLs go behind the others. Every figure that decides goes into the evidence.
 */
import { kindOfShape, type ShapeKind } from './shape.ts';
import { flags, newTermsOf, printOf, termsOf, window, type Group } from './group.ts';

export const trapRules = [
  /** The same words again and again: session ids, orders of a list, paths that the server ignores. */
  'same-text',
  /** Nothing but numbers changes, and there is always a further page: calendars, archives by date, endless lists. */
  'only-numbers',
  /** Combinations of parameters that bring no new word and always further combinations. */
  'facets',
  /** Pages that lead only to unknown pages like themselves, about nothing that their URLs name, in the same few words. */
  'maze',
  /** Thousands of pages, each of which leads to little but unknown pages of the shape. */
  'endless',
  /** Paths that repeat a segment, or are very deep, with texts that were met. */
  'loop',
  /** A page has more than 500 links of the shape. */
  'crowd',
  /** More than a million URLs in a day. */
  'flood',
  /** More than four fifths of the URLs of a host. */
  'most-of-host',
  /** An operator has put the shape into quarantine. */
  'operator',
] as const;
export type TrapRule = (typeof trapRules)[number];

export type Evidence = Readonly<Record<string, number>>;

export interface Accusation {
  readonly rule: TrapRule;
  readonly evidence: Evidence;
}

export interface Score {
  /** Null: the evidence does not suffice. */
  readonly trap: Accusation | null;
  readonly suspect: Accusation | null;
}

/** Shares of the last pages of a shape. */
interface Shown {
  readonly pages: number;
  readonly looked: number;
  readonly same: number;
  readonly numbers: number;
  readonly grew: number;
  readonly onlyNew: number;
  readonly alien: number;
  /** Share of new words in the sample of words. */
  readonly newWords: number;
  readonly terms: number;
  /** Different texts. */
  readonly texts: number;
  readonly streak: number;
}

interface Rule {
  readonly rule: TrapRule;
  readonly of: readonly ShapeKind[];
  /** Fewest pages of the shape, in all, and among the last. */
  readonly pages: number;
  readonly looked: number;
  readonly needsWords?: boolean;
  readonly holds: (shown: Shown) => boolean;
}

const nearlyAll = 0.87;
/** Share of pages that bring further ones, at which there is no end in sight: pages that name each other share them. */
const goesOn = 0.4;
const narrow = ['exact', 'query', 'session'] as const;
const wide = ['session', 'folder', 'host'] as const;

const rules: readonly Rule[] = [
  {
    rule: 'loop',
    of: ['loop'],
    ...{ pages: 16, looked: 16 },
    holds: ({ numbers }) => numbers >= 0.75,
  },
  {
    rule: 'same-text',
    of: [...narrow, 'folder'],
    ...{ pages: window, looked: window },
    // The fourth copy of a site repeats many texts, once each, and brings nothing: it is no trap.
    holds: ({ same, grew, texts }) => same >= nearlyAll && (grew >= goesOn || texts <= window / 3),
  },
  {
    rule: 'only-numbers',
    of: narrow,
    ...{ pages: window, looked: window },
    holds: ({ numbers, grew }) => numbers >= nearlyAll && grew >= goesOn,
  },
  {
    rule: 'facets',
    of: ['query'],
    ...{ pages: 48, looked: window, needsWords: true },
    holds: ({ grew, newWords, terms }) => grew >= goesOn && newWords <= 0.02 && terms >= 60,
  },
  {
    rule: 'maze',
    of: wide,
    ...{ pages: 64, looked: window, needsWords: true },
    holds: ({ grew, onlyNew, alien, newWords, terms }) =>
      grew >= nearlyAll && onlyNew >= nearlyAll && alien >= 0.8 && newWords <= 0.03 && terms >= 100,
  },
  {
    rule: 'endless',
    of: wide,
    ...{ pages: 2_000, looked: window },
    holds: ({ streak }) => streak >= 2_000,
  },
];

/** @param vocabularyFull so many words were met at the host that no word says anything any more */
export function scoreOf(group: Group, vocabularyFull: boolean): Score {
  const kind = kindOfShape(group.shape);
  const shown = shownBy(group);
  const mine = rules.filter(({ of, needsWords }) => of.includes(kind) && !(needsWords && vocabularyFull));
  const trap = mine.find(
    ({ pages, looked, holds }) => group.pages >= pages && shown.looked >= looked && holds(shown),
  );
  const half = mine.find(
    ({ rule, looked, holds }) => rule !== 'endless' && shown.looked * 2 >= looked && holds(shown),
  );
  return {
    trap: trap === undefined ? null : { rule: trap.rule, evidence: inFigures(shown) },
    suspect: half === undefined ? null : { rule: half.rule, evidence: inFigures(shown) },
  };
}

function shownBy({ pages, streak, recent }: Group): Shown {
  const share = (flag: number): number =>
    recent.length === 0 ? 0 : recent.filter((page) => (page & flag) !== 0).length / recent.length;
  const sum = (of: (page: number) => number): number => recent.reduce((total, page) => total + of(page), 0);
  const terms = sum(termsOf);
  return {
    ...{ pages, streak, terms, looked: recent.length, texts: new Set(recent.map(printOf)).size },
    ...{ same: share(flags.same), numbers: share(flags.numbers), grew: share(flags.grew) },
    ...{ onlyNew: share(flags.onlyNew), alien: share(flags.alien) },
    newWords: terms === 0 ? 0 : sum(newTermsOf) / terms,
  };
}

const inFigures = ({ terms: _, ...shown }: Shown): Evidence =>
  Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, Math.round(value * 1_000) / 1_000]));

const percent = (share: number | undefined): string => `${String(Math.round((share ?? 0) * 100))} %`;

/** What a rule found, as a sentence for people. */
export function accusationText({ rule, evidence }: Accusation): string {
  const { pages = 0, looked = 0 } = evidence;
  const of = `of the last ${String(looked)} of ${String(pages)} pages`;
  switch (rule) {
    case 'same-text':
      return `${percent(evidence['same'])} ${of} have words that other pages had three times before`;
    case 'only-numbers':
      return `${percent(evidence['numbers'])} ${of} differ from others in numbers alone, and ${percent(evidence['grew'])} brought further ones`;
    case 'facets':
      return `${percent(evidence['newWords'])} of the words ${of} were new, and ${percent(evidence['grew'])} of the pages brought further combinations`;
    case 'maze':
      return `${percent(evidence['onlyNew'])} ${of} lead to little but unknown pages of the same kind, ${percent(evidence['alien'])} say nothing of what their URLs name, and ${percent(evidence['newWords'])} of their words were new`;
    case 'endless':
      return `each of the last ${String(evidence['streak'] ?? 0)} pages led to little but unknown pages of the same kind`;
    case 'loop':
      return `${percent(evidence['numbers'])} ${of} have texts that other pages had, numbers aside`;
    case 'crowd':
      return 'a page has more than 500 links of this shape';
    case 'flood':
      return `${String(evidence['today'] ?? 0)} URLs of this shape were found in one day`;
    case 'most-of-host':
      return `${String(evidence['urls'] ?? 0)} of the ${String(evidence['ofHost'] ?? 0)} URLs found at the host have this shape`;
    case 'operator':
      return 'an operator put it there';
  }
}
