/**
 * Filters as words of the index: `=` and a letter before what is filtered by. No word of a text begins with `=`. So one
 * look into the index finds the pages of a crawl that have a word, however many other crawls have it.
 */
import { spansBetween, spansOf } from '../../domain/search/spans.ts';
import type { Tier } from '../../domain/search/tiers.ts';
import type { IndexedPage, SearchFilter } from './search-index.ts';

type Marked = Pick<IndexedPage, 'origin' | 'language' | 'status' | 'mediaType' | 'fetchedAt'> & {
  readonly config: string;
};

const configMark = (config: string): string => `=g${config}`;
/** Of the words of a title. */
export const titleMark = '=w';

/** All but the tier's, which a page keeps (put.sql.ts). */
export function marksOf({ origin, config, language, status, mediaType, fetchedAt }: Marked): string[] {
  return [
    `=h${origin}`,
    configMark(config),
    ...spansOf(fetchedAt).map((span) => `=t${span}`),
    ...(language === null ? [] : [`=l${language}`]),
    ...(status === null ? [] : [`=s${String(status)}`, `=s${String(Math.floor(status / 100))}xx`]),
    ...(mediaType === null ? [] : [`=m${mediaType}`, `=m${mediaType.split('/')[0] ?? ''}/*`]),
  ];
}

/** A tsquery as text: what the filter asks for; empty: nothing. @param now milliseconds since 1970 */
export function filterQuery(filter: SearchFilter, now: number): string {
  const { host, language, status, contentType, since, until } = filter;
  const spans = spansBetween(since, until, now);
  return [
    ...(host === undefined ? [] : [quoted(`=h${host}`)]),
    ...(language === undefined ? [] : [quoted(`=l${language}`)]),
    ...(status === undefined ? [] : [quoted(`=s${status}`)]),
    ...(contentType === undefined ? [] : [quoted(`=m${contentType}`)]),
    // No page has the mark of no span.
    ...(spans === null ? [] : [anyOf(spans.length === 0 ? ['=t'] : spans.map((span) => `=t${span}`))]),
  ].join(' & ');
}

/** A tsquery as text: pages in one of these tiers. */
export const tiersQuery = (tiers: readonly Tier[]): string =>
  anyOf(tiers.map(({ crawlId, tier }) => `=c${crawlId}.${String(tier)}`));

const anyOf = (marks: readonly string[]): string => `(${marks.map(quoted).join(' | ')})`;

const quoted = (mark: string): string => `'${mark.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
