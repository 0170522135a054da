/** How URLs are leased to a slice, and how they come back. */
import { storedKinds, type StoredKind } from '../../domain/url-kind.ts';
import type { QueuedReason } from '../../domain/url-reason.ts';
import { statement } from '../postgres/index.ts';
import { holdQueues, onceHeld, stateOfNamed } from './queue-locks.ts';

export interface LeasedUrl {
  readonly crawl_id: number;
  /** Hex. A few bytes as a Buffer would hold a whole slab of Node's (64 KiB) for as long as the URL is in hand. */
  readonly key: string;
  readonly url: string;
  readonly kind: StoredKind;
  readonly seed: boolean;
  readonly depth: number;
  readonly hops: number;
  /** Its row has the chain of redirects that leads to it (`readChain`). */
  readonly chained: boolean;
  readonly priority: number;
  /** How many requests ended in the URL's own trouble, and how the last request of any kind ended. */
  readonly tries: number;
  readonly reason: QueuedReason | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
  /** Place in the slice; not unique. */
  readonly turn: number;
  /** Milliseconds since the URL became due. */
  readonly due_ms: number;
}

/**
 * Leases up to `limit` due URLs of a host under a lease that is held: of each crawl those of best priority. Tenants
 * take turns, each as many as any other, and within a tenant its crawls by their weights. `rooms`: [{crawl_id, pages,
 * needed, weight}], the crawls that may take some, how many pages those with a limit may still take (null: any number),
 * how many URLs that pages need those may take which have all their pages, and how many turns they get when a crawl of
 * weight 1 gets one.
 *
 * Turns are start-time fair queuing. A URL is worth 1 / weight of its crawl; if the crawl's tenant brings more weight
 * than the tenant that brings least, the URL is worth more in the same ratio. `host_queue.served` is what a crawl has
 * had so far, and the crawl that has had least is next. A crawl that is new, or was away, starts with what the crawl
 * had that was served last, so that it can neither starve the others nor be starved. A trace is added to its account,
 * by how long it has waited, so that no two accounts are ever equal and crawls of equal weight follow each other in the
 * same order for ever. A crawl that is alone needs no account.
 *
 * The queue is locked first (queue-locks.ts).
 */
export const leaseUrls = statement<[hostId: string, token: number, limit: number, rooms: string], LeasedUrl>(
  'lease-urls',
)`
   with queue as materialized (
     select q.crawl_id, q.served, q.served_at from host_queue q
      where q.host_id = $1 and q.has_queued order by q.crawl_id for update
   ), present as (
     select q.crawl_id, q.served, q.served_at, room.pages, coalesce(room.needed, 0) as needed,
            coalesce(room.weight, 1) as weight,
            sum(coalesce(room.weight, 1)) over (partition by c.tenant_id) as of_tenant
       from queue q
       join crawl c on c.id = q.crawl_id and c.state = 'running'
       join json_to_recordset($4) as room(crawl_id bigint, pages int, needed int, weight float8) on room.crawl_id = q.crawl_id
      where exists (select 1 from host h where h.id = $1 and h.lease_token = $2)
   ), valued as (
     select *, of_tenant / min(of_tenant) over () / weight as worth from present
   ), waiting as materialized (
     select crawl_id, served, pages, needed, worth, count(*) over () > 1 as shared,
            max(served - worth) over () as last_served,
            1e-6 * rank() over (order by served_at, crawl_id) + 1e-9 * (crawl_id % 1000) as trace
       from valued
   ), account as (
     select crawl_id, pages, needed, worth, shared,
            case when served >= last_served and served > '-infinity' then served
                 when last_served > '-infinity' then last_served + trace
                 else trace end as served
       from waiting
   ), candidate as (
     select u.crawl_id, u.key, w.shared, w.worth,
            w.served + w.worth * (row_number() over (partition by u.crawl_id order by u.priority desc, u.key) - 1) as turn
       from account w
      cross join lateral (
        (select url.crawl_id, url.key, url.priority from url
          where url.host_id = $1 and url.crawl_id = w.crawl_id and url.state = 'queued' and url.due_at <= now()
          order by url.priority desc, url.key
          limit least($3, coalesce(w.pages, $3)))
        union all
        (select r.crawl_id, r.key, r.priority from url r
          where r.host_id = $1 and r.crawl_id = w.crawl_id and r.kind = ${String(storedKinds.requisite)}
            and r.state = 'queued' and r.due_at <= now()
          order by r.priority desc, r.key limit least($3, w.needed))
      ) u
   ), chosen as (
     select crawl_id, key, ${stateOfNamed('queued')}, shared, worth, turn + worth as served,
            row_number() over (order by turn, crawl_id) as turn
       from candidate order by turn limit $3
   ), accounted as (
     update host_queue q set served = c.served, worth = c.worth
       from (select crawl_id, max(served) as served, max(worth) as worth from chosen where shared group by crawl_id) c
      where q.host_id = $1 and q.crawl_id = c.crawl_id
   )
   update url u set state = 'leased', lease_token = $2
     from chosen c
    where u.host_id = $1 and u.crawl_id = c.crawl_id and u.key = c.key and u.state = c.was
   returning u.crawl_id, encode(u.key, 'hex') as key, u.url, u.kind, u.seed, u.depth, u.hops, u.chain is not null as chained, u.priority, u.tries,
             u.reason, u.etag, u.last_modified, c.turn, (extract(epoch from now() - u.due_at) * 1000)::float8 as due_ms`;

/** Puts back URLs that a slice leased and did not get to; they do not count as turns of the crawl (`leaseUrls`). */
export const returnUrls = statement<[hostId: string, token: number], { crawl_id: number }>('return-urls')`
   with held as materialized (
     select from host_queue where host_id = $1 and leased > 0 order by crawl_id for update
   ), back as (
     update url set state = 'queued', lease_token = null
      where host_id = $1 and state = 'leased' and lease_token = $2 and ${onceHeld}
     returning crawl_id
   ), unserved as (
     select crawl_id, count(*) as urls from back group by crawl_id
   ), accounted as (
     update host_queue q set served = q.served - u.urls * q.worth
       from unserved u where q.host_id = $1 and q.crawl_id = u.crawl_id and q.served > '-infinity'
   )
   select crawl_id from back`;

/**
 * Puts back URLs that a crash left leased. `leases` finds them: rows of `url` u; `held` locks their queues, those of
 * `left_behind` (queue-locks.ts). For each crawl the first URL in line was in flight, as far as anybody can know. A URL
 * that was first in line at six crashes is no longer trusted: it fails as 'poison', and its dead letter can be redriven.
 */
const puttingBack = (leases: string, held: string): string =>
  `left_behind as materialized (
     select u.host_id, u.crawl_id, u.key, u.lease_token, u.reclaims >= 5 as often,
            row_number() over (partition by u.host_id, u.crawl_id order by u.priority desc, u.key) = 1 as in_flight
       from ${leases} and u.state = 'leased'
   ), ${held}, back as (
     update url u set state = case when l.in_flight and l.often then 'failed' else 'queued' end::url_state,
                      reason = case when l.in_flight and l.often then 'poison' end,
                      detail = case when l.in_flight and l.often then 'its fetch was cut off by six crashes' end,
                      reclaims = u.reclaims + l.in_flight::int, lease_token = null
       from left_behind l
      where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.state = 'leased'
        and u.lease_token is not distinct from l.lease_token and ${onceHeld}
     returning u.host_id, u.crawl_id, u.key, u.state, u.status, u.reason, u.detail, u.attempts
   ), buried as (
     insert into dead_letter (host_id, crawl_id, key, class, status, message, attempts)
     select host_id, crawl_id, key, reason, status, detail, attempts from back where state = 'failed'
     on conflict do nothing
   )
   select state from back`;

/**
 * Puts back URLs of a host that are leased under any token but the present one: a crash left them. The caller must hold
 * the host's lease, and only URLs of the lease that the caller saw are put back. Otherwise a process that took the
 * lease, froze, and wakes up when another process has the lease would put back the URLs that the other process is
 * fetching.
 */
export const reclaimUrls = statement<[hostId: string, token: number], { state: string }>('reclaim-urls')`
   with ${puttingBack(
     `url u
      where u.host_id = $1 and u.lease_token is distinct from $2
        and exists (select 1 from host h where h.id = $1 and h.lease_token = $2)`,
     `held as materialized (
     select from host_queue where host_id = $1 and crawl_id in (select crawl_id from left_behind)
      order by crawl_id for update
   )`,
   )}`;

/**
 * Puts back URLs of paused hosts whose worker was killed: nobody visits such a host until it is resumed, so nobody else
 * reclaims them. Nobody gets the expired lease: its holder, who may only be frozen, cannot go on with these URLs, and
 * the next holder still learns that the lease was not returned. Lent URLs go back by their own time.
 */
export const reclaimPaused = statement<[limit: number], { state: string }>('reclaim-paused')`
   with gone as materialized (
     select h.id from host h
      where h.paused_at is not null and h.lease_until < now()
        and not exists (select from lent_url l where l.token = h.lease_token)
        and exists (select from url u where u.host_id = h.id and u.state = 'leased')
      order by h.id limit $1
      for update skip locked
   ), fenced as (
     update host h set lease_token = nextval('lease_token') from gone where h.id = gone.id returning h.id
   ), ${puttingBack('fenced join url u on u.host_id = fenced.id where true', holdQueues('left_behind'))}`;

/** For crawls with a page limit: the pages fetched, and the URLs being fetched. */
export const pagesInHand = statement<[crawlIds: readonly number[]], { crawl_id: number; pages: number }>(
  'pages-in-hand',
)`
   select crawl_id, sum(pages + leased)::int as pages from ledger where crawl_id = any ($1) group by crawl_id`;
