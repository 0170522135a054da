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
  /** Requests that ended in the URL's own trouble, and how the last of any ended. */
  readonly tries: number;
  readonly reason: string | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  /** Place in the slice; not unique. */
  readonly turn: number;
}

/**
 * Leases up to `limit` due URLs of a host under a lease that is held: of each crawl those of best priority. Tenants take
 * turns, each as many as any other, and within a tenant its crawls by their weights. `rooms`: [{crawl_id, pages, weight}],
 * the crawls that may take some, how many pages those with a limit may still take (null: any number), and how many
 * turns they get where one of weight 1 gets one.
 *
 * Turns are start-time fair queuing: a URL is worth 1 / weight, more by as much as the crawl's tenant brings more weight
 * than the one that brings least. `host_queue.served` is what a crawl has had, and whoever has had least is next. A crawl
 * that is new, or was away, has had what the one had that was served last: it can neither starve the others nor be
 * starved. Its account gets a trace more, by who waited longer, so that no two are ever equal and crawls of equal weight
 * follow each other in the same order for ever. A crawl that is alone needs no account.
 *
 * The queue is locked first (queue-locks.ts).
 */
export const leaseUrls = statement<[hostId: string, token: number, limit: number, rooms: string], LeasedUrl>(
  'lease-urls',
  `with queue as materialized (
     select q.crawl_id, q.served, q.served_at from host_queue q
      where q.host_id = $1 and q.queued > 0 order by q.crawl_id for update
   ), present as (
     select q.crawl_id, q.served, q.served_at, room.pages, coalesce(room.weight, 1) as weight,
            sum(coalesce(room.weight, 1)) over (partition by c.tenant_id) as of_tenant
       from queue q
       join crawl c on c.id = q.crawl_id and c.state = 'running'
       join json_to_recordset($4) as room(crawl_id bigint, pages int, weight float8) on room.crawl_id = q.crawl_id
      where exists (select 1 from host h where h.id = $1 and h.lease_token = $2)
   ), valued as (
     select *, of_tenant / min(of_tenant) over () / weight as worth from present
   ), waiting as materialized (
     select crawl_id, served, pages, worth, count(*) over () > 1 as shared,
            max(served - worth) over () as last_served,
            1e-6 * rank() over (order by served_at, crawl_id) + 1e-9 * (crawl_id % 1000) as trace
       from valued
   ), account as (
     select crawl_id, pages, worth, shared,
            case when served >= last_served and served > '-infinity' then served
                 when last_served > '-infinity' then last_served + trace
                 else trace end as served
       from waiting
   ), candidate as (
     select u.crawl_id, u.key, w.shared, w.worth,
            w.served + w.worth * (row_number() over (partition by u.crawl_id order by u.priority desc, u.key) - 1) as turn
       from account w
      cross join lateral (
        select url.crawl_id, url.key, url.priority from url
         where url.host_id = $1 and url.crawl_id = w.crawl_id and url.state = 'queued' and url.due_at <= now()
         order by url.priority desc, url.key
         limit least($3, coalesce(w.pages, $3))
      ) u
   ), chosen as (
     select crawl_id, key, shared, worth, turn + worth as served,
            row_number() over (order by turn, crawl_id) as turn
       from candidate order by turn limit $3
   ), accounted as (
     update host_queue q set served = c.served, worth = c.worth
       from (select crawl_id, max(served) as served, max(worth) as worth from chosen where shared group by crawl_id) c
      where q.host_id = $1 and q.crawl_id = c.crawl_id
   )
   update url u set state = 'leased', lease_token = $2
     from chosen c
    where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key and u.state = 'queued'
   returning u.crawl_id, u.key, u.url, u.kind, u.seed, u.depth, u.hops, u.priority, u.tries, u.reason, u.etag,
             u.last_modified, c.turn`,
);
