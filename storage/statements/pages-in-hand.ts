import { statement } from '../statement.ts';

/** Pages fetched, and URLs being fetched, of crawls with a page limit. */
export const pagesInHand = statement<[crawlIds: readonly number[]], { crawl_id: number; pages: number }>(
  'pages-in-hand',
  `select crawl_id, sum(pages + leased)::int as pages from ledger where crawl_id = any ($1) group by crawl_id`,
);
