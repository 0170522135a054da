/**
 * Where a URL stands in its host's back queue (F02): the higher its priority, the earlier. Sitemaps are above all pages,
 * pages in (0, 1] by their score (score.ts), URLs that have failed below 0, and below all of these pages that are suspected
 * to be part of a trap, or whose kind asks not to be indexed.
 */

/** Sitemaps come before all pages: they say which pages there are. */
export const sitemapPriority = 2;

/** A seed was asked for by name: nothing that a crawl finds goes before it. */
export const seedPriority = 1;

/** Subtracted from the priority of a URL that has failed: the result is below 0, behind all that have not failed. */
export const behindBy = 4;

/** Subtracted from the priority of a suspected page: it comes after whatever else waits at its host (domain/traps/). */
export const lastBy = 2 * behindBy;

/** Is the page behind all others already, as suspected ones are? */
export const isLast = (priority: number): boolean => priority <= -behindBy;

/** What a page was worth before it failed or was suspected, in (0, 1]; 1 for a sitemap. */
export const worthOf = (priority: number): number => {
  let worth = priority;
  while (worth <= 0) worth += behindBy;
  return Math.min(1, worth);
};

/** Added to the priority of a page of news that is due again: it goes before all others, sitemaps included. */
export const newsLift = 3;

/** The priority without the lift, of a URL that may have failed. */
export function unlifted(priority: number): number {
  const place = priority > 0 ? priority : priority + behindBy;
  return place > newsLift ? place - newsLift : place;
}
