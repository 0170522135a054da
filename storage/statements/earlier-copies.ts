import { statement } from '../statement.ts';

/** What is known of a body that was stored when the same URL was fetched before. */
export interface EarlierCopy {
  readonly crawl_id: number;
  /** Of the URL that is wanted, hex. */
  readonly key: string;
  /** The crawl that fetched it, and when. */
  readonly of_crawl: number;
  readonly fetched_at: Date;
  readonly status: number;
  readonly content_hash: Buffer;
  readonly content_type: string | null;
  readonly robots_tag: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
}

/**
 * The latest bodies with validators for leased URLs of a host, from the crawls named and from the URL's own last fetch.
 * `wanted`: [{crawl_id, key, among}]. Validators hold only for the very URL they came with, even if another spelling
 * has the same key. A URL whose body was lost must be fetched whole.
 */
export const earlierCopies = statement<[hostId: string, wanted: string], EarlierCopy>(
  'earlier-copies',
  `select w.crawl_id, w.key, e.crawl_id as of_crawl, e.fetched_at, e.status, e.content_hash, e.content_type, e.robots_tag, e.etag, e.last_modified
     from json_to_recordset($2) as w(crawl_id bigint, key text, among bigint[])
     join url u on u.host_id = $1 and u.crawl_id = w.crawl_id and u.key = decode(w.key, 'hex')
      and u.reason is distinct from 'body-lost'
    cross join lateral (
      select * from url c
       where c.host_id = $1 and c.crawl_id = any (w.among || w.crawl_id) and c.key = u.key and c.url = u.url
         and (c.state = 'done' or c.crawl_id = w.crawl_id) and c.content_hash is not null
         and (c.etag is not null or c.last_modified is not null)
       order by c.fetched_at desc limit 1
    ) e`,
);
