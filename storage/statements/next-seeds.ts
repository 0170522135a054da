import { statement } from '../statement.ts';

/** Seeds of a crawl that were not admitted yet, in their order; `after`: the line up to which all were. */
export const nextSeeds = statement<
  [crawlId: number, limit: number],
  { line: number; url: string; rejected: string | null; after: number }
>(
  'next-seeds',
  `select s.line, s.url, s.rejected, c.seeded_line as after
     from crawl c
    cross join lateral (
      select line, url, rejected from seed
       where crawl_id = c.id and line > c.seeded_line order by line limit $2) s
    where c.id = $1
    order by s.line`,
);
