import type { CrawlState } from '../../contracts/crawl.ts';
import { statement } from '../statement.ts';

/** Locks a crawl against its end, to add seeds to it. */
export const lockForSeeds = statement<[crawlId: string], { state: CrawlState; reason: string | null }>(
  'lock-for-seeds',
  `select state, reason from crawl where id = $1 for no key update`,
);
