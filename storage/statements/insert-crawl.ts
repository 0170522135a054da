import { statement } from '../statement.ts';

/**
 * A crawl with its seeds, all or nothing. `seeds`: [{line, url, rejected, place}]. Crawls of the first tenant are numbered, and
 * they alone; ids of the others are made of the time and chance (15 digits), so that nobody can count another's crawls.
 */
export const insertCrawl = statement<
  [config: string, seeds: string, tenantId: number, label: string | null, userId: string | null],
  { id: string }
>(
  'insert-crawl',
  `with created as (
     insert into crawl (id, config, tenant_id, label, user_id) overriding system value
     values (case when $3::bigint = 1 then nextval(pg_get_serial_sequence('crawl', 'id'))
                  else floor(extract(epoch from clock_timestamp()) * 1000)::bigint * 100 + floor(random() * 100)::bigint
             end, $1, $3, $4, $5)
     returning id
   ), s as materialized (
     select * from json_to_recordset($2) as s(line int, url text, rejected text, place text)
   ), placed as (
     insert into seed_place (crawl_id, place)
     select distinct created.id, decode(s.place, 'hex') from created, s where s.place is not null
   ), asked as (
     insert into seed (crawl_id, line, url, rejected)
     select created.id, s.line, s.url, s.rejected from created, s
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.created' from created
   )
   select id::text from created`,
);
