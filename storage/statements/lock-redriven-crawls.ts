import type { CrawlStands } from '../../domain/crawl-life.ts';
import { crawlTime } from '../crawl-time.ts';
import { statement } from '../statement.ts';

export interface RedrivenCrawl extends CrawlStands {
  readonly id: number;
  readonly pages: number;
  readonly since_start_ms: number | null;
  readonly max_pages: number | null;
  readonly max_seconds: number | null;
}

/**
 * Locks crawls, in the order of their ids, so that none is settled while URLs of it are queued again; with what says
 * whether they may be.
 */
export const lockRedrivenCrawls = statement<[crawlIds: readonly number[]], RedrivenCrawl>(
  'lock-redriven-crawls',
  `select c.id, c.state, c.cause, c.reason,
          (select coalesce(sum(l.pages), 0)::bigint from ledger l where l.crawl_id = c.id) as pages,
          (extract(epoch from ${crawlTime}) * 1000)::float8 as since_start_ms,
          (c.config ->> 'maxPages')::bigint as max_pages, (c.config ->> 'maxSeconds')::float8 as max_seconds
     from crawl c where c.id = any ($1) order by c.id for no key update of c`,
);
