import { statement } from '../statement.ts';

/**
 * A new version of a crawl's settings, in force from the commit on, with an event; the crawl's row is locked. `rereads`
 * is taken over from a version that had not been applied to its end.
 */
export const storeConfig = statement<
  [
    crawlId: string,
    version: number,
    config: string,
    author: string,
    note: string | null,
    restores: number | null,
    rereads: boolean,
  ],
  Record<string, never>
>(
  'store-config',
  `with first as (
     insert into crawl_config (crawl_id, version, config, created_at, state, rereads, ended_at)
     select id, config_version, config, created_at, 'applied', false, created_at
       from crawl where id = $1 and config_version = 1
   ), superseded as (
     update crawl_config set state = 'superseded', ended_at = now() where crawl_id = $1 and state = 'pending'
     returning rereads
   ), stored as (
     insert into crawl_config (crawl_id, version, config, author, note, restores, state, rereads)
     values ($1, $2, $3, $4, $5, $6, 'pending', $7 or exists (select from superseded where rereads))
     returning version
   ), changed as (
     update crawl set config = $3, config_version = $2 where id = $1
   )
   insert into event (crawl_id, kind, data)
   select $1, 'crawl.edited', json_build_object('version', version, 'restores', $6::int) from stored`,
);
