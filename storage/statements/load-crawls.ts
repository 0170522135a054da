import type { CrawlConfig, CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface CrawlRow {
  readonly id: number;
  readonly state: CrawlState;
  readonly config: CrawlConfig;
}

export const loadCrawls = statement<[crawlIds: readonly number[]], CrawlRow>(
  'load-crawls',
  `select id, state, config from crawl where id = any ($1)`,
);
