import { statement } from '../statement.ts';

export interface ContentOwner {
  readonly crawl_id: number;
  readonly hash: string;
  readonly host_id: number;
  readonly key: string;
}

/** The page that stands for each body at a site; else the one of another site. `rows`: [{crawl_id, hash, site}]. */
export const contentOwners = statement<[rows: string], ContentOwner>(
  'content-owners',
  `select distinct on (r.crawl_id, r.hash) r.crawl_id, r.hash, c.host_id, encode(c.key, 'hex') as key
     from json_to_recordset($1) as r(crawl_id bigint, hash text, site bigint)
     join content c on c.crawl_id = r.crawl_id and c.hash = decode(r.hash, 'hex')
    order by r.crawl_id, r.hash, c.site = r.site desc, c.site`,
);
