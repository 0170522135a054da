import { statement } from '../statement.ts';

/** Seeds behind those that the crawl has; its row is locked. `seeds`: [{line, url, rejected, place}], in the order of `line`. */
export const appendSeeds = statement<[crawlId: string, seeds: string], Record<string, never>>(
  'append-seeds',
  `with s as materialized (
     select * from json_to_recordset($2) as s(line int, url text, rejected text, place text)
   ), placed as (
     insert into seed_place (crawl_id, place)
     select distinct $1::bigint, decode(place, 'hex') from s where place is not null
     on conflict do nothing
   )
   insert into seed (crawl_id, line, url, rejected)
   select $1, (select coalesce(max(line), 0) from seed where crawl_id = $1) + row_number() over (order by s.line),
          s.url, s.rejected
     from s`,
);
