import type { CrawlStands } from '../../domain/crawl-life.ts';
import { statement } from '../statement.ts';

export const crawlStanding = statement<[crawlId: number], CrawlStands>(
  'crawl-standing',
  `select state, cause, reason from crawl where id = $1`,
);
