import { statement } from '../statement.ts';

/**
 * A crawl without seeds that has nothing left to do, as the standing one of a tenant. It has no workflow until seeds
 * set it running. Ids are made as in insert-crawl.ts.
 */
export const insertDefaultCrawl = statement<[tenantId: number, config: string], { id: string }>(
  'insert-default-crawl',
  `with created as (
     insert into crawl (id, config, tenant_id, label, state, cause, reason, ended_at) overriding system value
     values (case when $1::bigint = 1 then nextval(pg_get_serial_sequence('crawl', 'id'))
                  else floor(extract(epoch from clock_timestamp()) * 1000)::bigint * 100 + floor(random() * 100)::bigint
             end, $2, $1, 'default', 'finished', 'complete', 'complete', now())
     returning id
   ), chosen as (
     update tenant t set default_crawl_id = created.id from created where t.id = $1
   ), told as (
     insert into event (crawl_id, kind) select id, 'crawl.created' from created
   )
   select id::text from created`,
);
