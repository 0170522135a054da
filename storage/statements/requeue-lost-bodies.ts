import { statement } from '../statement.ts';

/**
 * A body that is missing or torn in the blob store is fetched again. `rows`: [{crawl_id, key, hash}] of one host.
 * The claim on the content goes too, so that the new body is judged afresh.
 */
export const requeueLostBodies = statement<[hostId: string, rows: string], { crawl_id: number }>(
  'requeue-lost-bodies',
  `with r as materialized (
     select crawl_id, decode(key, 'hex') as key, decode(hash, 'hex') as hash
       from json_to_recordset($2) as r(crawl_id bigint, key text, hash text)
   ), unclaimed as (
     delete from content c using r
      where c.crawl_id = r.crawl_id and c.hash = r.hash and c.host_id = $1 and c.key = r.key
   )
   update url u set state = 'queued', stage = 0, due_at = now(), reason = 'body-lost', content_hash = null,
                  etag = null, last_modified = null
     from r
    where u.host_id = $1 and u.crawl_id = r.crawl_id and u.key = r.key and u.state = 'done' and u.stage > 0
   returning u.crawl_id`,
);
