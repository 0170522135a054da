/** Fetches of one page: the crawls that make them, what was asked, and how visits stand. */
export { provideFetchCrawl } from './fetch-crawl.ts';
export { askAgain } from './ask-again.ts';
export {
  addPageFetch,
  findPageFetch,
  instantsOf,
  type Instants,
  type PageFetch,
} from './page-fetches.sql.ts';
export { crawlsWithPage, findVisit, settledPlaces, type Visit } from './visits.sql.ts';
