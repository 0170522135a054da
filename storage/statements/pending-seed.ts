import { statement } from '../statement.ts';

/** One row where this URL is a seed of the crawl that was not admitted yet. */
export const pendingSeed = statement<[crawlId: string, url: string], { added_at: Date }>(
  'pending-seed',
  `select greatest(c.seeds_added_at, c.created_at) as added_at
     from crawl c join seed s on s.crawl_id = c.id and s.line > c.seeded_line
    where c.id = $1 and s.url = $2 and s.rejected is null limit 1`,
);
