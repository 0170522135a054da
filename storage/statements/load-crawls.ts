import type { CrawlConfig, CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface CrawlRow {
  readonly id: number;
  readonly state: CrawlState;
  readonly config: CrawlConfig;
  /** Raised when seeds are added. */
  readonly seeds_revision: number;
}

export const loadCrawls = statement<[crawlIds: readonly number[]], CrawlRow>(
  'load-crawls',
  `select id, state, config, seeds_revision from crawl where id = any ($1)`,
);
