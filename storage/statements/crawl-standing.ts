import type { CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

export interface CrawlStandingRow {
  readonly state: CrawlState;
  readonly reason: string | null;
  /** Of one that drains: what it will be. */
  readonly ends_as: CrawlState | null;
}

export const crawlStanding = statement<[crawlId: number], CrawlStandingRow>(
  'crawl-standing',
  `select state, reason, ends_as from crawl where id = $1`,
);
