/** Standing crawls: what visits have shown of their pages, and which pages are due again. */
export {
  countDates,
  noteHints,
  noteProgress,
  noteVisits,
  sitemapRecord,
  visitsAfter,
  type NotedVisit,
  type SitemapHint,
  type VisitedPage,
} from './notes.sql.ts';
export {
  allow,
  beginStanding,
  countDue,
  endStanding,
  findKept,
  findStanding,
  holdStanding,
  noteRanked,
  queueDue,
  samplePages,
  standingCrawlsAfter,
  storePlan,
  storeSample,
  type KeptPage,
  type SampledPage,
  type StandingCrawl,
} from './standing.sql.ts';
export { beginDating, datePages, knownPages, type DatedPage, type KnownPage } from './dating.sql.ts';
export { freshnessSamples, percentOf } from './samples.ts';
