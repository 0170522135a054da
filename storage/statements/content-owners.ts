import { statement } from '../statement.ts';

export interface ContentOwner {
  readonly crawl_id: number;
  readonly hash: string;
  readonly host_id: number;
  readonly key: string;
}

/** The page that stands for each body. `rows`: [{crawl_id, hash}]. */
export const contentOwners = statement<[rows: string], ContentOwner>(
  'content-owners',
  `select c.crawl_id, encode(c.hash, 'hex') as hash, c.host_id, encode(c.key, 'hex') as key
     from content c join json_to_recordset($1) as r(crawl_id bigint, hash text)
       on c.crawl_id = r.crawl_id and c.hash = decode(r.hash, 'hex')`,
);
