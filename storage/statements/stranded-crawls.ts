import { statement } from '../statement.ts';

/** Crawls that were set running for new seeds a while ago, which nobody has admitted: they may have no workflow. */
export const strandedCrawls = statement<[], { id: string }>(
  'stranded-crawls',
  `select c.id::text from crawl c
    where c.state = 'running' and c.seeds_added_at between '1970-01-01' and now() - interval '10 seconds'
      and (select s.line from seed s where s.crawl_id = c.id and s.line > c.seeded_line order by s.line limit 1) is not null`,
);
