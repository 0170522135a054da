import { statement } from '../statement.ts';

/** Excludes up to `limit` URLs queued at hosts that have opted out, of all crawls; `hosts`: [{id, detail}]. */
export const excludeHostsOptedOut = statement<[hosts: string, limit: number], { crawl_id: number }>(
  'exclude-hosts-opted-out',
  `with out as materialized (
     select id, detail from json_to_recordset($1) as r(id bigint, detail text)
   ), held as materialized (
     select host_id, crawl_id from host_queue
      where host_id in (select id from out) and queued > 0 order by host_id, crawl_id for update
   ), chosen as materialized (
     select u.host_id, u.crawl_id, u.key from held q
      cross join lateral (select host_id, crawl_id, key from url u
                           where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.state = 'queued'
                           limit $2) u
      limit $2
   )
   update url u set state = 'excluded', reason = 'opt-out', detail = out.detail
     from chosen c join out on out.id = c.host_id
    where u.host_id = c.host_id and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id`,
);
