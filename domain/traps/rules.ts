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
  /** The same in words that never come again: no language has so many. */
  'babble',
  /** The same, and every answer takes long: to hold a crawler up. */
  'tarpit',
  /** The same, and people do not see the links that lead in: they are there for crawlers. */
  'hidden',
  /** Ever further hosts below one domain, which say nothing new or lead to nothing but more of themselves. */
  'names',
  /** Thousands of pages, each of which leads to little but unknown pages of the shape. */
  'endless',
  /** Paths that repeat a segment, or are very deep, with texts that were met. */
  'loop',
  /** A page has too many links of the shape: 500, unless an operator says otherwise. */
  'crowd',
  /** Too many URLs in a day: a million, unless an operator says otherwise. */
  'flood',
  /** More than four fifths of the URLs of a host. */
  'most-of-host',
  /** Pages of the host that are not there, though it answers as if they were (domain/soft-404/). */
  'soft-404',
  /** An operator has put the shape into quarantine. */
  'operator',
] as const;
export type TrapRule = (typeof trapRules)[number];

/** What an operator may set. */
export interface TrapLimits {
  /** Pages in a row of which each leads to little but unknown pages of the shape. */
  readonly endless: number;
  /** Links of one shape on one page that make the shape suspicious. */
  readonly crowd: number;
  /** URLs of one shape in a day that do. */
  readonly flood: number;
}
export const usualLimits: TrapLimits = { endless: 2_000, crowd: 500, flood: 1_000_000 };

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
  readonly slow: number;
  /** Share of new words in the sample of words. */
  readonly newWords: number;
  readonly terms: number;
  /** Different texts; at the hosts below a domain, different hosts. */
  readonly texts: number;
  readonly streak: number;
  /** Of the links that lead in from elsewhere, the share that people do not see. */
  readonly hidden: number;
}

/** Pages that lead to hardly anything but unknown pages like themselves, under names that say nothing of them. */
const leadsNowhere = ({ grew, onlyNew, alien }: Shown): boolean =>
  grew >= nearlyAll && onlyNew >= nearlyAll && alien >= 0.8;

interface Rule {
  readonly rule: TrapRule;
  readonly of: readonly ShapeKind[];
  /** Fewest pages of the shape, in all, and among the last. */
  readonly pages: number;
  readonly looked: number;
  readonly needsWords?: boolean;
  /** Half of its pages suffice to suspect a shape. */
  readonly suspects: boolean;
  readonly holds: (shown: Shown, limits: TrapLimits) => boolean;
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
    ...{ pages: 16, looked: 16, suspects: true },
    holds: ({ numbers }) => numbers >= 0.75,
  },
  {
    rule: 'same-text',
    of: [...narrow, 'folder'],
    ...{ pages: window, looked: window, suspects: true },
    // The fourth copy of a site repeats many texts, once each, and brings nothing: it is no trap.
    holds: ({ same, grew, texts }) => same >= nearlyAll && (grew >= goesOn || texts <= window / 3),
  },
  {
    rule: 'only-numbers',
    of: narrow,
    ...{ pages: window, looked: window, suspects: true },
    holds: ({ numbers, grew }) => numbers >= nearlyAll && grew >= goesOn,
  },
  {
    rule: 'facets',
    of: ['query'],
    ...{ pages: 48, looked: window, needsWords: true, suspects: true },
    holds: ({ grew, newWords, terms }) => grew >= goesOn && newWords <= 0.02 && terms >= 60,
  },
  {
    rule: 'maze',
    of: wide,
    ...{ pages: 64, looked: window, needsWords: true, suspects: true },
    holds: (shown) => leadsNowhere(shown) && shown.newWords <= 0.03 && shown.terms >= 100,
  },
  {
    rule: 'babble',
    of: wide,
    // Of the words of a page a tenth is new after so many pages, in a language that people write.
    ...{ pages: 96, looked: window, needsWords: true, suspects: false },
    holds: (shown) => leadsNowhere(shown) && shown.newWords >= 0.4 && shown.terms >= 100,
  },
  {
    rule: 'tarpit',
    of: wide,
    ...{ pages: 96, looked: window, suspects: false },
    holds: (shown) => leadsNowhere(shown) && shown.slow >= 0.9,
  },
  {
    rule: 'hidden',
    of: ['session', 'folder'],
    ...{ pages: 64, looked: window, suspects: true },
    // Menus that scripts open are hidden too, and lead to pages that lead to others as well, or say what they are about.
    holds: (shown, { endless }) =>
      shown.hidden >= nearlyAll && (leadsNowhere(shown) || shown.streak * 4 >= endless),
  },
  {
    rule: 'names',
    of: ['domain'],
    ...{ pages: 48, looked: window, suspects: false },
    holds: ({ texts, same, numbers, grew, onlyNew, newWords, terms }) => {
      const saysNothing = grew >= goesOn && Math.max(same, numbers) >= nearlyAll;
      const isMade = terms >= 100 && (newWords <= 0.03 || newWords >= 0.4);
      return texts >= window / 2 && (saysNothing || (grew >= nearlyAll && onlyNew >= nearlyAll && isMade));
    },
  },
  {
    rule: 'endless',
    of: wide,
    ...{ pages: window, looked: window, suspects: false },
    holds: ({ streak }, { endless }) => streak >= endless,
  },
];

/**
 * @param hidden share of the links into the shape, from elsewhere, that people do not see
 * @param vocabularyFull so many words were met at the host that no word says anything any more
 */
export function scoreOf(group: Group, hidden: number, vocabularyFull: boolean, limits: TrapLimits): Score {
  const kind = kindOfShape(group.shape);
  const shown = shownBy(group, hidden);
  const mine = rules.filter(({ of, needsWords }) => of.includes(kind) && !(needsWords && vocabularyFull));
  const trap = mine.find(
    ({ pages, looked, holds }) => group.pages >= pages && shown.looked >= looked && holds(shown, limits),
  );
  const half = mine.find(
    ({ suspects, looked, holds }) => suspects && shown.looked * 2 >= looked && holds(shown, limits),
  );
  return {
    trap: trap === undefined ? null : { rule: trap.rule, evidence: inFigures(shown) },
    suspect: half === undefined ? null : { rule: half.rule, evidence: inFigures(shown) },
  };
}

function shownBy({ pages, streak, recent }: Group, hidden: number): Shown {
  const share = (flag: number): number =>
    recent.length === 0 ? 0 : recent.filter((page) => (page & flag) !== 0).length / recent.length;
  const sum = (of: (page: number) => number): number => recent.reduce((total, page) => total + of(page), 0);
  const terms = sum(termsOf);
  return {
    ...{ pages, streak, hidden, terms, looked: recent.length, texts: new Set(recent.map(printOf)).size },
    ...{ same: share(flags.same), numbers: share(flags.numbers), grew: share(flags.grew) },
    ...{ onlyNew: share(flags.onlyNew), alien: share(flags.alien), slow: share(flags.slow) },
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
    case 'babble':
      return `${percent(evidence['onlyNew'])} ${of} lead to little but unknown pages of the same kind, ${percent(evidence['alien'])} say nothing of what their URLs name, and ${percent(evidence['newWords'])} of their words never came before, as in no language`;
    case 'tarpit':
      return `${percent(evidence['onlyNew'])} ${of} lead to little but unknown pages of the same kind, ${percent(evidence['alien'])} say nothing of what their URLs name, and ${percent(evidence['slow'])} took long to be answered`;
    case 'hidden':
      return `${percent(evidence['hidden'])} of the links that lead in from other pages are hidden from people, and ${percent(evidence['onlyNew'])} ${of} lead to little but unknown pages of the same kind${(evidence['alien'] ?? 0) >= 0.8 ? ', of whose names they say nothing' : ''}`;
    case 'names':
      return `${percent(evidence['grew'])} ${of}, which lie at ${String(evidence['texts'] ?? 0)} hosts or more, lead to further hosts of the domain, ${percent(Math.max(evidence['same'] ?? 0, evidence['numbers'] ?? 0))} have texts that other pages had, numbers aside, and ${percent(evidence['newWords'])} of their words were new`;
    case 'endless':
      return `each of the last ${String(evidence['streak'] ?? 0)} pages led to little but unknown pages of the same kind`;
    case 'loop':
      return `${percent(evidence['numbers'])} ${of} have texts that other pages had, numbers aside`;
    case 'crowd':
      return `a page has more than ${String(evidence['limit'] ?? 500)} links of this shape`;
    case 'flood':
      return `${String(evidence['today'] ?? 0)} URLs of this shape were found in one day`;
    case 'most-of-host':
      return `${String(evidence['urls'] ?? 0)} of the ${String(evidence['ofHost'] ?? 0)} URLs found at the host have this shape`;
    case 'soft-404':
      return softText(evidence);
    case 'operator':
      return 'an operator put it there';
  }
}

function softText({ redirects, pages, of }: Evidence): string {
  if (of !== undefined) return `${String(pages ?? 0)} of ${String(of)} pages of the host have the same text`;
  return redirects === 1
    ? 'the host redirects a made-up path there, as it does these pages'
    : 'the host answers a made-up path with status 200 and the text of these pages';
}
