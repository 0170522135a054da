import { statement } from '../statement.ts';

/** Which of these URLs, as they are stored, are seeds of the crawl that were not admitted yet. */
export const pendingSeeds = statement<[crawlId: string, urls: readonly string[]], { url: string }>(
  'pending-seeds',
  `select s.url from crawl c join seed s on s.crawl_id = c.id and s.line > c.seeded_line
    where c.id = $1 and s.url = any ($2) and s.rejected is null`,
);
