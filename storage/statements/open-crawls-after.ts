import { statement } from '../statement.ts';

/** Crawls that are not over, by their ids. */
export const openCrawlsAfter = statement<[after: string, limit: number], { id: string }>(
  'open-crawls-after',
  `select id::text from crawl where state in ('seeding', 'running', 'paused', 'draining') and id > $1
    order by id limit $2`,
);
