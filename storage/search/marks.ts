/**
 * Filters as words of the index: `=` and a letter before what is filtered by. No word of a text begins with `=`. So one
 * look into the index finds the pages of a crawl that have a word, however many other crawls have it.
 */
import type { SearchFilter } from './search-index.ts';

interface Marked {
  readonly crawlId: string;
  readonly origin: string;
  readonly config: string;
  readonly language: string | null;
  readonly status: number | null;
  /** `type/subtype`. */
  readonly mediaType: string | null;
}

const crawlMark = (crawlId: string): string => `=c${crawlId}`;
const configMark = (config: string): string => `=g${config}`;
/** Of the words of a title. */
export const titleMark = '=w';

export function marksOf({ crawlId, origin, config, language, status, mediaType }: Marked): string[] {
  return [
    ...[crawlMark(crawlId), `=h${origin}`, configMark(config)],
    ...(language === null ? [] : [`=l${language}`]),
    ...(status === null ? [] : [`=s${String(status)}`, `=s${String(Math.floor(status / 100))}xx`]),
    ...(mediaType === null ? [] : [`=m${mediaType}`, `=m${mediaType.split('/')[0] ?? ''}/*`]),
  ];
}

/** A tsquery as text: of one of these crawls, and what the filter asks for. */
export function filterQuery(
  crawlIds: readonly string[],
  { host, language, status, contentType }: SearchFilter,
): string {
  const wanted = [
    ...(host === undefined ? [] : [`=h${host}`]),
    ...(language === undefined ? [] : [`=l${language}`]),
    ...(status === undefined ? [] : [`=s${status}`]),
    ...(contentType === undefined ? [] : [`=m${contentType}`]),
  ];
  const ofCrawls = crawlIds.map((id) => quoted(crawlMark(id))).join(' | ');
  return [`(${ofCrawls})`, ...wanted.map(quoted)].join(' & ');
}

const quoted = (mark: string): string => `'${mark.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
