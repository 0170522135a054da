/** The knobs of the synthetic web. */

/**
 * The whole host: slow (every answer late), patient (slow, and its Crawl-delay is a long one), failing (500), busy (503 with Retry-After, then well), limited (429 with
 * Retry-After, now and then, in both of its forms), flaky (500 twice in a row for some pages), refused (nothing
 * listens), unruly (its robots.txt is 500, so nothing may be fetched), reluctant (its robots.txt is 503 twice, then
 * well). One URL, `/trap`, on a sound host: all others; that
 * of `carousel` and of `calendar` leads on without end.
 */
export const misfits = [
  'slow',
  'patient',
  'failing',
  'busy',
  'limited',
  'flaky',
  'refused',
  'unruly',
  'reluctant',
  'hang',
  'endless',
  'huge',
  'bomb',
  'header',
  'nested',
  'carousel',
  'calendar',
  'reset',
  'garbage',
] as const;
export type Misfit = (typeof misfits)[number];

export interface WebOptions {
  readonly seed: number;
  /** Well-behaved hosts. */
  readonly hosts: number;
  /** Pages of each well-behaved host that are reachable from its `/`, itself included. */
  readonly pages: number;
  /** Size of a page's HTML in bytes, about. */
  readonly bytes: number;
  /** Links of a page. */
  readonly links: number;
  /** Share of the random links that lead to another host. */
  readonly crossShare: number;
  /**
   * How many of each wrinkle a host has beside its pages: nofollow, disallowed, missing, redirects of every kind,
   * duplicates, tracking and fragment variants. 0: a plain web.
   */
  readonly wrinkles: number;
  /** Seconds of `Crawl-delay` in every robots.txt; null: the line is absent. */
  readonly crawlDelay: number | null;
  /** robots.txt names a sitemap, which lists pages that nothing links to. */
  readonly sitemap: boolean;
  /** Pages of each well-behaved host that say nothing before their script has asked for the rest. */
  readonly shells: number;
  /** Hosts that misbehave, one each, after the well-behaved ones. */
  readonly misfits: readonly Misfit[];
  /**
   * Milliseconds a host takes for an answer. At 0 it answers before it reads the next request, so that requests sent
   * at once do not overlap in its log: only for measurements.
   */
  readonly latencyMs: number;
  /** The same, of the hosts `slow` and `patient`. */
  readonly slowMs: number;
  /** Seconds of Retry-After the hosts `busy` and `limited` ask for. */
  readonly retryAfter: number;
}

export const defaultWebOptions: WebOptions = {
  seed: 1,
  hosts: 4,
  pages: 25,
  bytes: 6_000,
  links: 12,
  crossShare: 0.25,
  wrinkles: 0,
  crawlDelay: null,
  sitemap: false,
  shells: 0,
  misfits: [],
  latencyMs: 2,
  slowMs: 2_000,
  retryAfter: 2,
};
