import { statement } from '../statement.ts';

/** Makes host rows that are missing. `rows`: [{origin, shard}]. */
export const ensureHosts = statement<[rows: string], Record<string, never>>(
  'ensure-hosts',
  `insert into host (origin, shard)
   select origin, shard from json_to_recordset($1) as r(origin text, shard smallint) order by origin
   on conflict (origin) do nothing`,
);
