import type { CrawlConfig } from '../../contracts/crawl.ts';
import type { CrawlStands } from '../../domain/crawl-life.ts';
import { statement } from '../statement.ts';

export interface DefaultCrawlRow extends CrawlStands {
  readonly id: string;
  readonly config: CrawlConfig;
}

/** The standing crawl of a tenant; no row: it has none yet. */
export const defaultCrawl = statement<[tenantId: number], DefaultCrawlRow>(
  'default-crawl',
  `select c.id::text, c.state, c.cause, c.reason, c.config
     from tenant t join crawl c on c.id = t.default_crawl_id
    where t.id = $1`,
);
