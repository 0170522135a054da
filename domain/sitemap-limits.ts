/**
 * How much of a host's sitemaps a crawl reads. The protocol (sitemaps.org 0.9) allows 50,000 entries and 50 MB a file.
 * By the protocol an index names sitemaps and never another index, but hosts nest indexes all the same.
 */
import type { ExcludedReason } from './url-reason.ts';

export const sitemapLimits = {
  /** The first so many Sitemap lines of a robots.txt are used. */
  robotsLines: 50,
  /** Most sitemaps of a host that one crawl fetches; further ones are excluded. */
  ofHost: 1_000,
  /** Deepest level that is read: a sitemap that robots.txt names is at level 0, a sitemap that it names at level 1. */
  levels: 3,
  /** Most entries read from a file, and as many pages in other languages that its entries name. */
  entries: 50_000,
  /** Most bytes read from a file, unpacked. */
  bytes: 50 * 1024 * 1024,
} as const;

/** The reason of a sitemap that is excluded by one of these limits. */
export const sitemapLimitReason = 'sitemap-limit' satisfies ExcludedReason;
