/**
 * When a page was published and modified, by the first of these that tells: meta elements and Open Graph, schema.org
 * data, `<time>`, the URL's path, the text. It is the order that htmldate has found best on the web.
 */
import type { PageMeta } from '../contracts/http/page-meta.ts';
import { dateOfPath, isAfter, readDate } from './dates.ts';
import { isItem, type SchemaItem, typesOf } from './schema-items.ts';

type Source = NonNullable<PageMeta['publishedFrom']>;

/** A `<time>` or its like. */
export interface TimeMark {
  /** Its `datetime`, else its text. */
  readonly value: string;
  readonly says: 'published' | 'modified' | null;
}

export interface DateEvidence {
  /** As meta elements write them, in document order. */
  readonly published: readonly string[];
  readonly modified: readonly string[];
  readonly items: readonly SchemaItem[];
  readonly times: readonly TimeMark[];
  readonly url: URL;
  /** Parts of the text that may tell a date: its beginning, its end, the page's foot. */
  readonly texts: readonly string[];
  /** Milliseconds since 1970; dates after it are none. */
  readonly now: number;
}

export interface PageDates {
  readonly published: string | null;
  readonly from: Source | null;
  readonly modified: string | null;
}

const articleTypes =
  /Article|Posting|Report|Review|Recipe|Event|Question|Video|Book|Course|Dataset|Software|Product/;

export function datesOf(evidence: DateEvidence): PageDates {
  const first = (values: readonly string[]): string | null => {
    for (const value of values) {
      const date = readDate(value);
      if (date !== null && !isAfter(date, evidence.now)) return date;
    }
    return null;
  };
  const said = (what: TimeMark['says']): string[] =>
    evidence.times.filter(({ says }) => says === what).map(({ value }) => value);
  const ofItems = (...names: readonly string[]): string[] => {
    const articles = evidence.items.filter((item) => typesOf(item).some((type) => articleTypes.test(type)));
    return [...articles, ...evidence.items].flatMap((item) => valuesOf(item, names));
  };

  const candidates: readonly (readonly [Source, () => string | null])[] = [
    ['meta', () => first(evidence.published)],
    ['schema', () => first(ofItems('datePublished', 'dateCreated', 'uploadDate'))],
    ['time', () => first(said('published')) ?? first(said(null))],
    ['url', () => first([dateOfPath(evidence.url.pathname) ?? ''])],
    ['text', () => first(labelled(evidence.texts, publishedLabel)) ?? first(bare(evidence.texts))],
  ];
  let [published, from]: [string | null, Source | null] = [null, null];
  for (const [source, find] of candidates) {
    published = find();
    if (published !== null) {
      from = source;
      break;
    }
  }
  const modified =
    first(evidence.modified) ??
    first(ofItems('dateModified')) ??
    first(said('modified')) ??
    first(labelled(evidence.texts, modifiedLabel));
  return { published, from, modified };
}

function valuesOf(item: SchemaItem, names: readonly string[]): string[] {
  const inner = item['mainEntity'] ?? item['mainEntityOfPage'];
  const own = names.flatMap((name) => (typeof item[name] === 'string' ? [item[name]] : []));
  return own.length === 0 && isItem(inner)
    ? names.flatMap((name) => (typeof inner[name] === 'string' ? [inner[name]] : []))
    : own;
}

const publishedLabel =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:published|posted|publication date|released|created|written|dated?|veröffentlicht|erstellt|stand|datum|publié|paru|publicado|fecha|pubblicato|data|geplaatst|publicerad|opublikowano|опубликовано|发布|發布|投稿日|公開日)(?:\s+(?:on|at|le|am|el|il|in|op|em|by[^\n]{0,40}on))?\s*[:：]?\s*/giu;
const modifiedLabel =
  /(?<![\p{Script=Latin}\p{Script=Cyrillic}])(?:(?:last|page)\s+(?:updated|modified|changed|edited|revised|generated)|updated|modified|last (?:update|change|revision)|aktualisiert|(?:letzte\s+)?(?:änderung|aktualisierung)|zuletzt (?:geändert|bearbeitet)|mis à jour|dernière (?:mise à jour|modification)|actualizado|última (?:actualización|modificación)|aggiornato|atualizado|bijgewerkt|uppdaterad|zaktualizowano|обновлено|更新日?)(?:\s+(?:on|at|le|am|el|il|in|op|em))?\s*[:：]?\s*/giu;

/** A label with a date after it has so many characters in between and in the date. */
const reach = 40;

function labelled(texts: readonly string[], label: RegExp): string[] {
  return texts.flatMap((text) =>
    yearIn.test(text)
      ? [...text.matchAll(label)].map(({ index, 0: { length } }) => {
          const after = text.slice(index + length, index + length + reach);
          return /^[^\n]{0,18}?(?:\d|\p{Lu})/u.test(after) ? (after.split('\n', 1)[0] ?? '') : '';
        })
      : [],
  );
}

const yearIn = /(?:19|20)\d\d/;
/** A line with a date says little else: `By Jane Doe | 12 March 2024`. */
const longestDateLine = 60;
const linesLooked = 12;

const notItsDate = new RegExp(`©|copyright|\\(c\\)|${modifiedLabel.source}`, 'iu');

/** Dates in short lines at the beginning. */
function bare(texts: readonly string[]): string[] {
  const [beginning = ''] = texts;
  if (!yearIn.test(beginning)) return [];
  return beginning
    .split('\n', linesLooked)
    .filter((line) => line.length <= longestDateLine && yearIn.test(line) && line.search(notItsDate) < 0);
}
