import { statement } from '../statement.ts';

/**
 * Seeds of a crawl that were not admitted yet, in their order. Those that were just added wait for two seconds: a
 * worker may judge by the seeds of a second ago, and would take their links for links outside the scope.
 */
export const nextSeeds = statement<
  [crawlId: number, limit: number],
  { line: number; url: string; rejected: string | null }
>(
  'next-seeds',
  `select s.line, s.url, s.rejected
     from crawl c join seed s on s.crawl_id = c.id and s.line > c.seeded_line
    where c.id = $1 and c.seeds_added_at < now() - interval '2 seconds'
    order by s.line limit $2`,
);
