/** The sitemaps of crawls, and what was found in each. */
export { listSitemaps, noteSitemap, type SitemapReport, type SitemapRow } from './sitemaps.sql.ts';
