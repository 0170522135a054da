import { statement } from '../statement.ts';

/** `rows`: [{crawl_id, hash, host_id, key}]. The first page with a body stands for it; later ones change nothing. */
export const claimContents = statement<[rows: string], Record<string, never>>(
  'claim-contents',
  `insert into content (crawl_id, hash, host_id, key)
   select crawl_id, decode(hash, 'hex'), host_id, decode(key, 'hex')
     from json_to_recordset($1) as r(crawl_id bigint, hash text, host_id bigint, key text)
    order by crawl_id, hash
   on conflict (crawl_id, hash) do nothing`,
);
