import type { CrawlConfig, CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface DefaultCrawlRow {
  readonly id: string;
  readonly state: CrawlState;
  readonly reason: string | null;
  readonly config: CrawlConfig;
}

/** The standing crawl of a tenant; no row: it has none yet. */
export const defaultCrawl = statement<[tenantId: number], DefaultCrawlRow>(
  'default-crawl',
  `select c.id::text, c.state, c.reason, c.config
     from tenant t join crawl c on c.id = t.default_crawl_id
    where t.id = $1`,
);
