import { statement } from '../statement.ts';

/** Which of `rows`, [{host_id, crawl_id, key}] with keys in hex, are not in the frontier of their crawl. */
export const unstoredUrls = statement<[rows: string], { crawl_id: number }>(
  'unstored-urls',
  `select distinct r.crawl_id from json_to_recordset($1) as r(host_id bigint, crawl_id bigint, key text)
    where not exists (select from url u where u.host_id = r.host_id and u.crawl_id = r.crawl_id
                                          and u.key = decode(r.key, 'hex'))`,
);
