/** Which sitemaps a crawl reads, and which of their pages it takes. */
import type { ExcludedReason } from './url-reason.ts';

/**
 * include: sitemaps that robots.txt names bring pages besides the links of pages; only: pages come from sitemaps and
 * seeds, and no link is followed; skip: no sitemap is read but a seed that is one.
 */
export const sitemapModes = ['include', 'only', 'skip'] as const;
export type SitemapMode = (typeof sitemapModes)[number];

/** What a file is. `unknown`: neither a sitemap nor a feed, though URLs may have been found in it. */
export const sitemapFormats = ['urlset', 'index', 'rss', 'atom', 'json', 'text', 'unknown'] as const;
export type SitemapFormat = (typeof sitemapFormats)[number];

/**
 * How a sitemap of a crawl stands. waiting: it is to be fetched or read; read: without a fault; faulty: read as far as it
 * goes; redirect: another one is read in its place; failed: it was not to be had; excluded: it is not read.
 */
export const sitemapStates = ['waiting', 'read', 'faulty', 'redirect', 'failed', 'excluded'] as const;
export type SitemapState = (typeof sitemapStates)[number];

export interface SitemapChoice {
  /** Does a sitemap that another sitemap names match a pattern? Null: there are no patterns. */
  readonly matches: ((url: string) => boolean) | null;
  /** Milliseconds since 1970: entries with an older date are left out; null: none is. */
  readonly modifiedSince: number | null;
}

interface DatedEntry {
  readonly kind: 'page' | 'sitemap';
  readonly lastmod?: string;
}

interface Refusal {
  readonly reason: Extract<ExcludedReason, 'sitemap-pattern' | 'unmodified'>;
  readonly detail: string;
}

/**
 * Why an entry of a sitemap is left out; null: it is taken. An entry without a date, or with one that cannot be read, is
 * taken: nobody knows that it is old.
 * @param url canonical
 */
export function refusalOf({ kind, lastmod }: DatedEntry, url: string, choice: SitemapChoice): Refusal | null {
  if (kind === 'sitemap' && choice.matches?.(url) === false)
    return { reason: 'sitemap-pattern', detail: 'no pattern for sitemaps matches it' };
  const end = choice.modifiedSince === null || lastmod === undefined ? null : lastMoment(lastmod);
  if (choice.modifiedSince === null || end === null || end >= choice.modifiedSince) return null;
  return {
    reason: 'unmodified',
    detail: `its sitemap dates it ${new Date(end).toISOString().slice(0, 10)}, and the crawl takes what was modified since ${new Date(choice.modifiedSince).toISOString()}`,
  };
}

const dayMs = 86_400_000;
/** `2026-…`, or `Mon, 3 Nov 2026 …` with or without the day of the week: `Date.parse` takes many other texts for dates. */
const looksDated = /^(?:\d{4}-|(?:[A-Z][a-z]{2}, ?)?\d{1,2} [A-Z][a-z]{2} \d{2,4} )/;
const hasZone = /(?:Z|[A-Z]{2,4}|[+-]\d\d:?\d\d)$/;

/**
 * The last moment, in milliseconds since 1970, that a date may stand for; null: it is none. W3C dates may be a year, a
 * month or a day (www.w3.org/TR/NOTE-datetime); feeds have dates of mail (RFC 822). What has no zone is read in UTC, wherever
 * the machine stands.
 */
export function lastMoment(text: string): number | null {
  const [, year, month, day] = /^(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(text) ?? [];
  if (year !== undefined && day === undefined) {
    const end = month === undefined ? Date.UTC(Number(year) + 1, 0) : Date.UTC(Number(year), Number(month)); // of the next one
    return Number(month ?? '1') >= 1 && Number(month ?? '1') <= 12 ? end - 1 : null;
  }
  if (!looksDated.test(text)) return null;
  const at = Date.parse(hasZone.test(text) || day !== undefined ? text : `${text}Z`);
  if (Number.isNaN(at)) return null;
  return day === undefined ? at : at + dayMs - 1;
}
