import { statement } from '../statement.ts';

/** A crawl with its seeds, all or nothing. `seeds`: [{line, url, rejected}]. */
export const insertCrawl = statement<[config: string, seeds: string], { id: string }>(
  'insert-crawl',
  `with created as (
     insert into crawl (config) values ($1) returning id
   ), asked as (
     insert into seed (crawl_id, line, url, rejected)
     select created.id, s.line, s.url, s.rejected
       from created, json_to_recordset($2) as s(line int, url text, rejected text)
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.created' from created
   )
   select id::text from created`,
);
