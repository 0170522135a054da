/**
 * When a page was published and modified. The first of these sources that has a date decides: folders of the URL that
 * name a day, meta elements and Open Graph, schema.org data, what the page marks as a date, the URL, the text by its
 * heading. The day is the one that people read on the page: if the data have an instant in UTC and the page shows the
 * day before or after, the shown day counts.
 */
import type { PageMeta } from '../contracts/http/page-meta.ts';
import { allMatches } from './all-matches.ts';
import { dateOfFolders, dateOfPath, isAfter, readingsOf } from './dates.ts';
import type { Nearness } from './mark-place.ts';
import type { TimeMark } from './page-marks.ts';
import { hasType, isItem, type SchemaItem } from './schema-items.ts';

type Source = NonNullable<PageMeta['publishedFrom']>;

export interface DateEvidence {
  /** As meta elements write them, in document order. */
  readonly published: readonly string[];
  readonly dated: readonly string[];
  readonly modified: readonly string[];
  readonly items: readonly SchemaItem[];
  readonly times: readonly TimeMark[];
  readonly nearness: (mark: TimeMark) => Nearness;
  readonly bylines: readonly string[];
  /** The address, then others that the page gives for itself. */
  readonly urls: readonly string[];
  /** Paths of pictures that stand for an article. */
  readonly pictures: readonly string[];
  /** Lines of text by the heading. */
  readonly lines: readonly string[];
  /** The last lines of a text without a heading. */
  readonly ending: readonly string[];
  /** Parts of the text that may tell a date too: its beginning, its end, the page's foot. */
  readonly texts: readonly string[];
  /** Months stand before days where both are numbers. */
  readonly american: boolean;
  /** The beginning of a site, something sold, or an event: dates in it are those of others. */
  readonly isList: boolean;
  /** Milliseconds since 1970; dates after it are none. */
  readonly now: number;
}

export interface PageDates {
  readonly published: string | null;
  readonly from: Source | null;
  readonly modified: string | null;
}

const dayMs = 86_400_000;
const articleTypes =
  /Article|Posting|Report|Recipe|Question|Video|Book|Course|Dataset|Software|HowTo|Chapter|Thesis/;
const pageTypes = /Page$|CreativeWork$|MediaObject$/;

export function datesOf(evidence: DateEvidence): PageDates {
  const { american, now, isList } = evidence;
  const read = (value: string): string | null =>
    readingsOf(value, american).find((date) => !isAfter(date, now)) ?? null;
  const first = (values: Iterable<string>): string | null => {
    for (const value of values) {
      const date = read(value);
      if (date !== null) return date;
    }
    return null;
  };
  const ofMark = ({ told, shown }: TimeMark): string | null => {
    const day = first([shown]);
    const data = first(told);
    return data === null ? day : asShown(data, day);
  };
  const marked = (says: TimeMark['says'], wanted: Nearness): string[] =>
    isList
      ? []
      : evidence.times
          .filter((mark) => mark.says === says && evidence.nearness(mark) === wanted)
          .flatMap((mark) => ofMark(mark) ?? []);
  const near = isList ? [] : [evidence.lines.join('\n')];
  const lines = isList ? [] : [...evidence.bylines, ...near];
  // A day far from the heading is that of the page if the page shows no other.
  const lone = (says: TimeMark['says']): string | null => {
    const days = marked(says, 'far');
    return new Set(days.map((day) => day.slice(0, 10))).size <= 2 ? (days[0] ?? null) : null;
  };

  const inPath = first(evidence.urls.map((path) => dateOfPath(path) ?? ''));
  const folder = first(evidence.urls.map((path) => dateOfFolders(path) ?? ''));
  const candidates: readonly (readonly [Source, () => string | null])[] = [
    ['meta', () => first(evidence.published)],
    ['schema', () => first(ofItems(evidence.items, 'datePublished', 'dateCreated', 'uploadDate'))],
    ['meta', () => first(evidence.dated)],
    ['time', () => marked('published', 'near')[0] ?? marked(null, 'near')[0] ?? null],
    ['url', () => inPath],
    ['text', () => first(labelled(near, publishedLabel))],
    ['text', () => first(shortLines(lines))],
    ['time', () => lone('published') ?? lone(null)],
    ['text', () => (isList ? null : first(labelled(evidence.texts, publishedLabel)))],
    ['text', () => (isList ? null : first(shortLines(evidence.ending, longestEnding)))],
    ['url', () => first(evidence.pictures.map((path) => dateOfFolders(path) ?? ''))],
    // In hAtom the class `updated` is that of an entry's only date too.
    ['time', () => marked('modified', 'near')[0] ?? null],
  ];
  let [published, from]: [string | null, Source | null] = [null, null];
  for (const [source, find] of candidates) {
    published = find();
    if (published !== null) {
      from = source;
      break;
    }
  }
  // Folders of days are made when a page is published; data follow it when it moves to another program.
  if (folder !== null && published?.slice(0, 10) !== folder) [published, from] = [folder, 'url'];
  else if (published !== null)
    for (const day of [...marked('published', 'near'), ...marked(null, 'near')])
      published = asShown(published, day.slice(0, 10));
  const modified =
    first(evidence.modified) ??
    first(ofItems(evidence.items, 'dateModified')) ??
    marked('modified', 'near')[0] ??
    lone('modified') ??
    first(labelled(evidence.texts, modifiedLabel));
  return { published, from, modified };
}

/** Of an instant in UTC and a day that is shown beside it, the day where people there have another one. */
function asShown(told: string, shown: string | null): string {
  const day = told.slice(0, 10);
  if (shown === null || !told.endsWith('Z') || shown.length > 10 || shown === day) return told;
  return Math.abs(Date.parse(shown) - Date.parse(day)) <= dayMs ? shown : told;
}

/** Values of what is written as a page is; of pages themselves only where nothing is sold. */
function ofItems(items: readonly SchemaItem[], ...names: readonly string[]): string[] {
  const typed = (types: RegExp): SchemaItem[] => items.filter((item) => hasType(item, types));
  const pages = typed(/^Product/).length > 0 ? [] : typed(pageTypes);
  return [...typed(articleTypes), ...pages].flatMap((item) => valuesOf(item, names));
}

function valuesOf(item: SchemaItem, names: readonly string[]): string[] {
  const texts = (of: SchemaItem): string[] =>
    names.flatMap((name) => {
      const value = of[name];
      const [text] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
      return typeof text === 'string' || typeof text === 'number' ? [String(text)] : [];
    });
  const inner = item['mainEntity'] ?? item['mainEntityOfPage'];
  const own = texts(item);
  return own.length === 0 && isItem(inner) ? texts(inner) : own;
}

const publishedLabel =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:published|posted|publication date|released|created|written|dated?|veröffentlicht|erstellt|stand|datum|publié|paru|publicado|fecha|pubblicato|data|geplaatst|publicerad|opublikowano|опубликовано|发布|發布|投稿日|公開日)(?:\s+(?:on|at|le|am|el|il|in|op|em|by[^\n]{0,40}on))?\s*[:：]?\s*/giu;
const modifiedLabel =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:(?:last|page)\s+(?:updated|modified|changed|edited|revised|generated)|updated|modified|last (?:update|change|revision)|aktualisiert|(?:letzte\s+)?(?:änderung|aktualisierung)|zuletzt (?:geändert|bearbeitet)|mis à jour|dernière (?:mise à jour|modification)|actualizado|última (?:actualización|modificación)|aggiornato|atualizado|bijgewerkt|uppdaterad|zaktualizowano|обновлено|更新日?)(?:\s+(?:on|at|le|am|el|il|in|op|em))?\s*[:：]?\s*/giu;

/** A label with a date after it has so many characters in between and in the date. */
const reach = 40;

/** Lines before that of a date in which its label may begin. */
const linesBefore = 2;

/** What stands behind labels. They are many words, so they are looked for by the lines that may have a date, which are few. */
function* labelled(texts: readonly string[], label: RegExp): Generator<string> {
  for (const text of texts) {
    if (!hasYear(text)) continue;
    const lines = text.split('\n');
    for (const [at, line] of lines.entries()) {
      if (!mayHaveDate(line)) continue;
      const piece = lines.slice(Math.max(0, at - linesBefore), at + 1).join('\n');
      for (const { index, 0: found } of allMatches(piece, label)) {
        const from = index + found.length;
        // What ends before the line has another one behind it.
        if (from < piece.length - line.length) continue;
        const after = piece.slice(from, from + reach);
        if (/^[^\n]{0,18}?(?:\d|\p{Lu})/u.test(after)) yield after;
      }
    }
  }
}

const year = /\d{4}|[./]\d\d(?!\d)/;
/** Digits of other scripts, and eras. */
const wideYear = /\p{Nd}{4}|(?:令和|平成|民[國国]).{1,4}年/u;
/** One of these has a character of them; a search for them takes many times as long as these two. */
const wide = /[\u0660-\u1fff\u3000-\uffff]/;

const mayHaveDate = (line: string): boolean =>
  /\d{4}|[-./'’]\d\d(?!\d)/.test(line) || (wide.test(line) && /\p{Nd}{2}|年/u.test(line));
const hasYear = (text: string): boolean => year.test(text) || (wide.test(text) && wideYear.test(text));
/** A line with a date says little else: `By Jane Doe | 12 March 2024`. */
const longestDateLine = 70;
/** A line at the end of a text that says its date, and perhaps where it was written. */
const longestEnding = 40;
/** Where a text begins with place and date: `BERLIN, 12 March 2024 (Agency) –` */
const dateline =
  /^\p{Lu}[^\n]{3,70}?\d{4}(?:\s?[гр]\.)?[)\s]*(?:\([^)]{2,30}\)\s*|\/[^/]{2,30}\/\s*)?[–—:-]/u;

const notItsDate = new RegExp(`©|copyright|\\(c\\)|since|est\\.|seit|depuis|${modifiedLabel.source}`, 'iu');

/** Dates in lines that say little else, or with which a text begins. */
function* shortLines(texts: readonly string[], longest = longestDateLine): Generator<string> {
  for (const text of texts)
    for (const line of hasYear(text) ? text.split('\n') : []) {
      if (!hasYear(line) || line.search(notItsDate) >= 0) continue;
      if (line.length <= longest) yield line;
      else {
        const begun = dateline.exec(line);
        if (begun !== null) yield begun[0];
      }
    }
}
