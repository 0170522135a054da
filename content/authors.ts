/**
 * Who wrote a page: people before organisations, data before bylines, what stands by the heading before what stands
 * elsewhere. The site itself and its administrators are no authors, and a page that is no article has none.
 */
import {
  citedNameIn,
  isOrganisation,
  looksLikePerson,
  namesIn,
  namesInLabelled,
  namesInLines,
} from './author-names.ts';
import type { Nearness } from './mark-place.ts';
import type { Byline } from './page-marks.ts';
import { hasType, isItem, type SchemaItem } from './schema-items.ts';
import { bare, type IsSite } from './site-name.ts';

const mostAuthors = 10;
/** From one of several names to the next, in characters of text. */
const together = 120;
const longestLine = 100;
/** Characters of text in which a name is looked for that data tell. */
const shownReach = 50_000;

export interface AuthorEvidence {
  readonly authors: readonly string[];
  readonly cited: readonly string[];
  readonly items: readonly SchemaItem[];
  readonly bylines: readonly Byline[];
  readonly nearness: (mark: Byline) => Nearness;
  readonly isSite: IsSite;
  /** The page calls itself an article, or tells when it was published. */
  readonly isArticle: boolean;
  /** The beginning of a site, something sold, or an event. */
  readonly isList: boolean;
  readonly text: string;
  /** Lines behind the heading. */
  readonly lines: readonly string[];
}

export function authorsOf(evidence: AuthorEvidence): {
  readonly names: readonly string[];
  readonly leftOut: number;
} {
  const { items, bylines, isArticle, isSite } = evidence;
  const articles = items.filter((item) => hasType(item, articleType));
  const cited = evidence.cited.flatMap(citedNameIn);
  if (cited.length === 0 && evidence.isList) return { names: [], leftOut: 0 };

  const by = (wanted: Nearness, isName: boolean): string[] => {
    const marks = bylines.filter((mark) => mark.isName === isName && evidence.nearness(mark) === wanted);
    const names = marks.map((mark) => ({
      at: mark.at,
      names: wanted === 'near' || isName ? namesOf(mark) : namesInLabelled(mark.text),
    }));
    // Names of many all over a page are those of a list.
    if (wanted === 'far' && new Set(names.flatMap((mark) => mark.names)).size > 2) return [];
    const told = names.filter((mark) => mark.names.length > 0);
    const gap = told.findIndex(({ at }, nth) => at - (told[nth - 1]?.at ?? at) > together);
    return told.slice(0, gap < 0 ? undefined : gap).flatMap((mark) => mark.names);
  };
  let seen: string | null = null;
  const isShown = (name: string): boolean => {
    seen ??= evidence.text.slice(0, shownReach).toLowerCase();
    return seen.includes(name.toLowerCase());
  };
  const meta = evidence.authors.flatMap(namesIn);
  const schema = articles.flatMap((item) => peopleIn(item['author'] ?? item['creator'], items, 0));
  const near = once(() => by('near', true));
  const sources: readonly (() => readonly string[])[] = [
    () => cited,
    () => schema.filter(({ isPerson }) => isPerson).map(({ name }) => name),
    near,
    () => meta.filter(isShown),
    () => by('near', false),
    () => labelled(evidence.lines),
    () => (isArticle ? meta : []),
    () => by('far', true),
    () => by('far', false),
  ];
  const isSomebody = (name: string): boolean => !isSite(name) && !isOrganisation(name);
  let names = firstOf(sources, isSomebody);
  // Data often name the first author alone.
  const others = names.length === 0 ? [] : near().filter(isSomebody);
  if (
    others.length > names.length &&
    names.every((name) => others.some((other) => bare(other) === bare(name)))
  )
    names = others;
  // An agency wrote it, or somebody whose name is that of the site, and the page shows so.
  const agencies: readonly (() => readonly string[])[] = [
    () => bylines.filter((mark) => evidence.nearness(mark) === 'near').flatMap(namesOf),
    () => [...schema.map(({ name }) => name), ...meta].filter((name) => !isSite(name) && isShown(name)),
  ];
  if (names.length === 0 && isArticle)
    names = firstOf(agencies, (name) => !isSite(name) || !isOrganisation(name));
  const all = [...new Map(names.map((name) => [bare(name), name])).values()];
  return { names: all.slice(0, mostAuthors), leftOut: Math.max(0, all.length - mostAuthors) };
}

const namesOf = ({ text, isName }: Byline): string[] =>
  isName && !text.includes('\n') ? namesIn(text) : namesInLines(text);

/** Of items that somebody writes as the page. */
const articleType =
  /Article|Posting|Report(?!er)|Recipe|Question|HowTo|ScholarlyWork|Thesis|Chapter|WebPage$|CreativeWork$/;

interface Named {
  readonly name: string;
  readonly isPerson: boolean;
}

/** The wanted names of the first source that has some. */
function firstOf(
  sources: readonly (() => readonly string[])[],
  isWanted: (name: string) => boolean,
): readonly string[] {
  for (const source of sources) {
    const names = source().filter(isWanted);
    if (names.length > 0) return names;
  }
  return [];
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

/** Names in lines that begin with `By` and say little else. */
const labelled = (lines: readonly string[]): string[] =>
  lines.flatMap((line, at) =>
    line.length <= longestLine ? namesInLabelled(line, lines[at + 1]).filter(looksLikePerson) : [],
  );

function peopleIn(value: unknown, items: readonly SchemaItem[], depth: number): Named[] {
  if (typeof value === 'string') return namesIn(value).map((name) => ({ name, isPerson: true }));
  if (Array.isArray(value) && depth < 2)
    return value.slice(0, 2 * mostAuthors).flatMap((each) => peopleIn(each, items, depth + 1));
  if (!isItem(value)) return [];
  const id = value['@id'];
  const whole =
    value['name'] === undefined && typeof id === 'string'
      ? items.find((item) => item['@id'] === id && item['name'] !== undefined)
      : value;
  const isPerson = whole !== undefined && !hasType(whole, /Organi[sz]ation|Corporation|Agency/);
  const name = whole?.['name'];
  const texts = Array.isArray(name) ? name.slice(0, mostAuthors) : [name];
  return texts.flatMap((text) =>
    typeof text === 'string' ? namesIn(text).map((each) => ({ name: each, isPerson })) : [],
  );
}
