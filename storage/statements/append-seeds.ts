import { statement } from '../statement.ts';

/** Seeds behind those that the crawl has; its row is locked. `seeds`: [{line, url, rejected}], in the order of `line`. */
export const appendSeeds = statement<[crawlId: string, seeds: string], Record<string, never>>(
  'append-seeds',
  `insert into seed (crawl_id, line, url, rejected)
   select $1, (select coalesce(max(line), 0) from seed where crawl_id = $1) + row_number() over (order by s.line),
          s.url, s.rejected
     from json_to_recordset($2) as s(line int, url text, rejected text)`,
);
