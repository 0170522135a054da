import { statement } from '../statement.ts';

/** Seeds of a crawl that were not admitted yet, in their order; `after`: the line up to which all were. */
export const nextSeeds = statement<
  [crawlId: number, limit: number],
  { line: number; url: string; rejected: string | null; after: number }
>(
  'next-seeds',
  `select s.line, s.url, s.rejected, c.seeded_line as after
     from crawl c join seed s on s.crawl_id = c.id and s.line > c.seeded_line
    where c.id = $1
    order by s.line limit $2`,
);
