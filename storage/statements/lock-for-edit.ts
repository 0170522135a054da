import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';
import { statement } from '../statement.ts';

export interface EditedCrawl extends CrawlStands {
  readonly config: Partial<CrawlConfig>;
  readonly config_version: number;
}

/**
 * Waits for transactions that admit URLs under the present settings (migration 0025), and locks the crawl against its
 * end.
 */
export const lockForEdit = statement<[crawlId: string], EditedCrawl>(
  'lock-for-edit',
  `select state, cause, reason, config, config_version from crawl where id = $1 for update`,
);
