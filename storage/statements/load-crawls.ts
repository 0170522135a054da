import type { CrawlConfig, CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface CrawlRow {
  readonly id: number;
  readonly tenant_id: number;
  readonly state: CrawlState;
  readonly config: CrawlConfig;
  /** Raised by each edit of the settings. */
  readonly config_version: number;
}

export const loadCrawls = statement<[crawlIds: readonly number[]], CrawlRow>(
  'load-crawls',
  `select id, tenant_id, state, config, config_version from crawl where id = any ($1)`,
);
