/**
 * How much a crawl reads of what a host says of itself. The protocol (sitemaps.org 0.9) allows 50,000 entries and 50 MB
 * a file, and an index names sitemaps, never another index; hosts nest them all the same.
 */
export const sitemapLimits = {
  /** Sitemap lines taken from one robots.txt: the first. */
  robotsLines: 50,
  /** Sitemaps of a host that one crawl fetches; what is named beyond is excluded. */
  ofHost: 1_000,
  /** How deep sitemaps name sitemaps: one that robots.txt names is at level 0, one it names at level 1. */
  levels: 3,
  /** Entries read of a file. */
  entries: 50_000,
  /** Bytes read of a file, unpacked. */
  bytes: 50 * 1024 * 1024,
} as const;

/** Class of a sitemap that is excluded for one of them. */
export const sitemapLimitReason = 'sitemap-limit';
