import { statement } from '../statement.ts';

/** Last of the transaction that adds seeds, so that the time is that of its end. */
export const noteAddedSeeds = statement<[crawlId: string], Record<string, never>>(
  'note-added-seeds',
  `update crawl set seeds_revision = seeds_revision + 1, seeds_added_at = clock_timestamp() where id = $1`,
);
