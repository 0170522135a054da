/** Where a URL stands in its host's back queue: higher first (F02; the signals that are known when it is found). */

/** Sitemaps come before any page: they say what there is. */
const sitemapPriority = 2;

/** In (0, 1] for pages: seeds first, then by depth, so that a crawl goes breadth first. */
export const urlPriority = (kind: 'page' | 'sitemap', depth: number): number =>
  kind === 'sitemap' ? sitemapPriority : 1 / (1 + depth);

/** A URL that has failed goes behind all that have not: with this taken off, its priority is below 0. */
export const behindBy = 4;
