import { statement } from '../statement.ts';

/** Locks crawls, so that their page limits are judged by one slice at a time; in the order of their ids. */
export const lockCrawls = statement<[crawlIds: readonly number[]], { id: number }>(
  'lock-crawls',
  `select id from crawl where id = any ($1) order by id for no key update`,
);
