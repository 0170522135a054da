/** Dates of pages for which they are known. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Extractor } from '../../content/extract.ts';
import { codes, readDeclaration } from './declarations.ts';
import { habitPages } from './habits.ts';
import type { Peers } from './peers.ts';

const ask = { xRobotsTag: null, agentTokens: [], maxLinks: 10 } as const;

export interface Told {
  readonly right: number;
  readonly wrong: readonly string[];
  readonly silent: readonly string[];
}

function toldOf(cases: readonly { name: string; known: string; found: string | null }[]): Told {
  const say = ({ name, known, found }: (typeof cases)[number]): string =>
    found === null ? name : `${name}: ${found}, not ${known}`;
  return {
    right: cases.filter(({ known, found }) => known === found).length,
    wrong: cases.filter(({ known, found }) => found !== null && known !== found).map(say),
    silent: cases.filter(({ found }) => found === null).map(say),
  };
}

/** Days on which newspaper4k's pages were published, as it finds them; null: its pages cannot be had. */
export function compareDates(extractor: Extractor, { newspaper }: Peers): Told | null {
  if (newspaper === null) return null;
  const cases = readdirSync(join(newspaper, 'metadata')).flatMap((file) => {
    const page = join(newspaper, 'html', file.replace(/\.json$/, '.html'));
    const { url, publish_date: known } = JSON.parse(
      readFileSync(join(newspaper, 'metadata', file), 'utf8'),
    ) as {
      url?: string;
      publish_date?: string | null;
    };
    if (!known || known === 'None' || !existsSync(page)) return [];
    const body = readFileSync(page);
    const { meta } = extractor.extract({
      ...{ body, url: url ?? 'http://site.example/', contentType: 'text/html', ...ask, now: Date.now() },
    });
    return [{ name: file, known: known.slice(0, 10), found: meta.published?.slice(0, 10) ?? null }];
  });
  return toldOf(cases);
}

/** How often dates and authors of pages are told, of those that have them and of those that have none. */
export interface FactsRow {
  readonly right: number;
  readonly wrong: number;
  readonly silent: number;
  /** F1 of dates. */
  readonly f1: number;
  readonly exactAuthors: number;
  readonly withAuthors: number;
  readonly falseAuthors: number;
  readonly withoutAuthors: number;
}

interface FoundFacts {
  readonly date: string | null;
  readonly authors: readonly string[];
}

/** Dates and authors of pages in many hands' ways: ours, and what htmldate and trafilatura tell (null: they cannot be had). */
export function compareFacts(
  extractor: Extractor,
  { declarations, tellFacts }: Peers,
): { readonly ours: FactsRow; readonly theirs: FactsRow | null; readonly odd: readonly string[] } {
  const pages = habitPages((language) => readDeclaration(declarations, codes[language] ?? 'eng').paragraphs);
  const score = (found: readonly FoundFacts[]): FactsRow => {
    const row = {
      right: 0,
      wrong: 0,
      silent: 0,
      exactAuthors: 0,
      withAuthors: 0,
      falseAuthors: 0,
      withoutAuthors: 0,
    };
    pages.forEach(({ date, authors }, at) => {
      const told = found[at] ?? { date: null, authors: [] };
      if (told.date === date) row.right += Number(date !== null);
      else {
        row.wrong += Number(told.date !== null);
        row.silent += Number(date !== null);
      }
      row.withAuthors += Number(authors.length > 0);
      row.withoutAuthors += Number(authors.length === 0);
      if (authors.length === 0) row.falseAuthors += Number(told.authors.length > 0);
      else row.exactAuthors += Number(sameNames(told.authors, authors));
    });
    return { ...row, f1: (2 * row.right) / Math.max(1, 2 * row.right + row.wrong + row.silent) };
  };
  const ours = pages.map(({ url, html }) => {
    const body = Buffer.from(html);
    const { meta } = extractor.extract({
      ...{ body, url, contentType: 'text/html; charset=utf-8' },
      ...ask,
      now: Date.now(),
    });
    return { date: meta.published?.slice(0, 10) ?? null, authors: meta.authors ?? [] };
  });
  const odd = pages.flatMap(({ way, url, date, authors }, at) => {
    const told = ours[at];
    return told === undefined || (told.date === date && sameNames(told.authors, authors))
      ? []
      : [
          `${way}, ${url}: ${String(told.date)} by ${told.authors.join(', ')}, not ${String(date)} by ${authors.join(', ')}`,
        ];
  });
  const theirs = tellFacts?.(pages.map(({ url, html }) => ({ url, html }))) ?? null;
  return { ours: score(ours), theirs: theirs === null ? null : score(theirs), odd };
}

const sameNames = (found: readonly string[], known: readonly string[]): boolean =>
  found.length === known.length && [...found].sort().join('\n') === [...known].sort().join('\n');
