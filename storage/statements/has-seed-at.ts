import { statement } from '../statement.ts';

/** A row where the crawl has a seed at this very origin. */
export const hasSeedAt = statement<[hostId: string, crawlId: number], { found: number }>(
  'has-seed-at',
  `select 1 as found from url where host_id = $1 and crawl_id = $2 and seed limit 1`,
);
