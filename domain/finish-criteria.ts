/**
 * When a crawl has reached its goal: criteria combined by `any` or `all`, with one of them nested once in the other.
 * Criteria that are met stay met, since everything they look at only grows.
 */
import { compilePattern } from './pattern.ts';

/** Which pages are counted: a page must match every field that is given. */
export interface PageMatch {
  /** Glob over the canonical URL (pattern.ts). */
  readonly url?: string | undefined;
  /** Part of the title; case makes no difference. */
  readonly title?: string | undefined;
  /** ISO 639-1. */
  readonly language?: string | undefined;
}

export type Criterion =
  /** Pages fetched. */
  | { readonly pages: number }
  /** Body bytes that came over the wire. */
  | { readonly bytes: number }
  /** Seconds since the crawl began to run. */
  | { readonly seconds: number }
  /** A page was read that is at least this many links from a seed. */
  | { readonly depth: number }
  /** Nothing is left to fetch. Within `all`, the other criteria do not end the crawl before that. */
  | { readonly exhausted: true }
  /** At least `count` matching pages were read. */
  | { readonly matching: PageMatch & { readonly count: number } };

export type FinishCriteria =
  | { readonly any: readonly (Criterion | { readonly all: readonly Criterion[] })[] }
  | { readonly all: readonly (Criterion | { readonly any: readonly Criterion[] })[] };

/** What a crawl has reached. */
export interface Reached {
  readonly pages: number;
  readonly bytes: number;
  readonly runningMs: number;
  readonly exhausted: boolean;
  /** Number of pages by counter: see `pageCounters`. */
  readonly counters: Readonly<Record<string, number>>;
}

/** In words, what meets the criteria; null: they are not met. */
export function metBy(criteria: FinishCriteria, reached: Reached): string | null {
  return 'any' in criteria
    ? first(criteria.any.map((part) => ('all' in part ? whole(part.all, reached) : met(part, reached))))
    : every(
        criteria.all.map((part) =>
          'any' in part ? first(part.any.map((each) => met(each, reached))) : met(part, reached),
        ),
      );
}

const whole = (criteria: readonly Criterion[], reached: Reached): string | null =>
  every(criteria.map((each) => met(each, reached)));

const first = (verdicts: readonly (string | null)[]): string | null =>
  verdicts.find((verdict) => verdict !== null) ?? null;

function every(verdicts: readonly (string | null)[]): string | null {
  const words = verdicts.filter((verdict) => verdict !== null);
  return words.length === verdicts.length && words.length > 0 ? words.join(' and ') : null;
}

function met(criterion: Criterion, reached: Reached): string | null {
  if ('pages' in criterion)
    return reached.pages >= criterion.pages ? `${String(criterion.pages)} pages` : null;
  if ('bytes' in criterion)
    return reached.bytes >= criterion.bytes ? `${String(criterion.bytes)} bytes` : null;
  if ('seconds' in criterion) {
    return reached.runningMs >= criterion.seconds * 1_000 ? `${String(criterion.seconds)} seconds` : null;
  }
  if ('exhausted' in criterion) return reached.exhausted ? 'nothing is left' : null;
  const counted = reached.counters[counterOf(criterion)] ?? 0;
  if ('depth' in criterion) return counted > 0 ? `a page at depth ${String(criterion.depth)}` : null;
  return counted >= criterion.matching.count ? `${String(criterion.matching.count)} matching pages` : null;
}

/** A page as criteria see it. */
export interface CountedPage {
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly depth: number;
}

/**
 * The counters that a page adds 1 to. A counter's name says what is counted, not how much of it is wanted, so that a
 * crawl whose wanted number is edited keeps its count.
 */
export function pageCounters(criteria: FinishCriteria | null): (page: CountedPage) => readonly string[] {
  const counters = new Map<string, (page: CountedPage) => boolean>();
  for (const criterion of criteria === null ? [] : criteriaIn(criteria)) {
    if ('depth' in criterion) counters.set(counterOf(criterion), ({ depth }) => depth >= criterion.depth);
    if ('matching' in criterion) counters.set(counterOf(criterion), compileMatch(criterion.matching));
  }
  return (page) => [...counters].filter(([, matches]) => matches(page)).map(([counter]) => counter);
}

function criteriaIn(criteria: FinishCriteria): readonly Criterion[] {
  return 'any' in criteria
    ? criteria.any.flatMap((part) => ('all' in part ? part.all : [part]))
    : criteria.all.flatMap((part) => ('any' in part ? part.any : [part]));
}

function counterOf(criterion: Extract<Criterion, { depth: number } | { matching: object }>): string {
  if ('depth' in criterion) return `depth ${String(criterion.depth)}`;
  const { url, title, language } = criterion.matching;
  return `matching ${JSON.stringify([url ?? null, title?.toLowerCase() ?? null, language ?? null])}`;
}

function compileMatch({ url, title, language }: PageMatch): (page: CountedPage) => boolean {
  const matchesUrl = url === undefined ? null : compilePattern(url);
  const part = title?.toLowerCase();
  return (page) =>
    (matchesUrl === null || matchesUrl(page.url)) &&
    (part === undefined || (page.title ?? '').toLowerCase().includes(part)) &&
    (language === undefined || page.language === language);
}
