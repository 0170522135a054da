import { statement } from '../statement.ts';

/**
 * Forgets versions of a crawl's settings but the first and the latest `keep`, of which no more than `bytes` are kept, as
 * they are stored.
 */
export const dropOldConfigs = statement<[crawlId: string, keep: number, bytes: number], { version: number }>(
  'drop-old-configs',
  `delete from crawl_config
    where crawl_id = $1 and state <> 'pending' and version in (
      select version
        from (select version, row_number() over latest as place, sum(pg_column_size(config)) over latest as size
                from crawl_config where crawl_id = $1 and version > 1
              window latest as (order by version desc)) v
       where place > $2 or size > $3)
   returning version`,
);
