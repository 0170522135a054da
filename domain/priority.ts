/** Where a URL stands in its host's back queue: higher first (F02). Uses only what is known when the URL is found. */
import type { UrlKind } from './url-kind.ts';

/** Sitemaps come before all pages: they say which pages there are. */
const sitemapPriority = 2;

/** In (0, 1] for pages: seeds first, then by depth, so that a crawl works breadth first. */
export const urlPriority = (kind: UrlKind, depth: number): number =>
  kind === 'sitemap' ? sitemapPriority : 1 / (1 + depth);

/** Subtracted from the priority of a URL that has failed: the result is below 0, behind all that have not failed. */
export const behindBy = 4;
