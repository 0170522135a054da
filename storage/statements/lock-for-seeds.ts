import type { CrawlStands } from '../../domain/crawl-life.ts';
import { statement } from '../statement.ts';

/** Locks a crawl against its end, to add seeds to it. */
export const lockForSeeds = statement<[crawlId: string], CrawlStands>(
  'lock-for-seeds',
  `select state, cause, reason from crawl where id = $1 for no key update`,
);
