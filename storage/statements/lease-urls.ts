import { statement } from '../statement.ts';

export interface LeasedUrl {
  readonly crawl_id: number;
  readonly key: Buffer;
  readonly url: string;
  readonly kind: number;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  readonly priority: number;
  /** Requests that ended in the URL's own trouble. */
  readonly tries: number;
  readonly etag: string | null;
  readonly last_modified: string | null;
  /** Place in the slice; not unique. */
  readonly turn: number;
}

/**
 * Leases up to `limit` due URLs of a host, best priority first, taking turns between crawls, the crawl that waited
 * longest first, under a lease that is held. `rooms`: [{crawl_id, pages}], the crawls that may take some, and how many
 * pages those with a limit may still take (null: any number).
 */
export const leaseUrls = statement<[hostId: string, token: number, limit: number, rooms: string], LeasedUrl>(
  'lease-urls',
  `with waiting as (
     select q.crawl_id, q.served_at, room.pages
       from host_queue q
       join crawl c on c.id = q.crawl_id and c.state = 'running'
       join json_to_recordset($4) as room(crawl_id bigint, pages int) on room.crawl_id = q.crawl_id
      where q.host_id = $1 and q.queued > 0
        and exists (select 1 from host h where h.id = $1 and h.lease_token = $2)
   ), candidate as (
     select u.crawl_id, u.key, w.served_at,
            row_number() over (partition by u.crawl_id order by u.priority desc, u.key) as turn
       from waiting w
      cross join lateral (
        select url.crawl_id, url.key, url.priority from url
         where url.host_id = $1 and url.crawl_id = w.crawl_id and url.state = 'queued' and url.due_at <= now()
         order by url.priority desc, url.key
         limit least($3, coalesce(w.pages, $3))
      ) u
   ), chosen as (
     select crawl_id, key, row_number() over (order by turn, served_at, crawl_id) as turn
       from candidate order by turn limit $3
   )
   update url u set state = 'leased', lease_token = $2
     from chosen c
    where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id, u.key, u.url, u.kind, u.seed, u.depth, u.hops, u.priority, u.tries, u.etag,
             u.last_modified, c.turn`,
);
