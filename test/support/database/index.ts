/** The database as tests see it: all SQL of tests stands here, but for that of tests about SQL (eslint.config.mjs). */
export * from './census.ts';
export * from './crawls.ts';
export * from './hosts.ts';
export * from './locks.ts';
export * from './plain.ts';
export * from './readings.ts';
export * from './roles.ts';
export * from './server-time.ts';
export * from './slowness.ts';
export { fromNow, like, longAgo, not, type Read } from './table.ts';
export { tables, type CrawlColumns, type HostColumns, type UrlColumns, type UrlRow } from './tables.ts';
export * from './urls.ts';
