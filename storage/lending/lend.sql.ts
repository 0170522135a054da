/** How a host is lent. */
import { askAgainMs, wantsMs } from '../../domain/lending.ts';
import { statement } from '../postgres/index.ts';
import { isItsTurn } from '../hosts/index.ts';
import { reserving, takenColumns, type TakenLease } from '../leases/index.ts';

const askAgain = `interval '${String(askAgainMs)} milliseconds'`;
const wants = `interval '${String(wantsMs)} milliseconds'`;

/**
 * The host `h` is in one of the shards ($1) and open, its robots.txt is known and fresh, and a page is next there for one
 * of the crawls ($2). A copy is fresh for $3 milliseconds, or as its answer says, and the delay of the host
 * (`robotsFreshMs`). A crawl does not count if a fetcher of its tenant has reported trouble at the host: then a worker of
 * ours asks the host first.
 */
const hasPageDue = `h.shard = any ($1) and h.parked_at is null and h.paused_at is null and h.closed_until <= now()
          and h.id in (select q.host_id from host_queue q
                         join crawl c on c.id = q.crawl_id and c.state = 'running'
                        where q.crawl_id = any ($2) and q.has_queued and ${isItsTurn}
                          and q.held_until = '-infinity'
                          and 0 = (select u.kind from url u
                                    where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.state = 'queued'
                                      and u.due_at <= now()
                                    order by u.priority desc, u.key limit 1))
          and exists (select 1 from robots r
                       where r.host_id = h.id
                         and r.fetched_at > now() - (coalesce(r.kept_ms, $3::float8) + coalesce(h.base_delay_ms, 0)) * interval '1 millisecond'
                         and r.fetched_at > coalesce(h.robots_asked_at, '-infinity'))`;

/**
 * Asks for hosts of these shards, but for the hosts `but`, that could be lent if they were not in use or about to be. A
 * slice of ours that holds such a host ends after its turn. Where the turn is the fetchers', it ends soon, and the next
 * begins after `askAgainMs`, or once the fetchers' turn is over.
 */
export const askToLend = statement<
  [
    shards: readonly number[],
    crawlIds: readonly number[],
    robotsFreshMs: number,
    limit: number,
    but: readonly number[],
  ]
>('ask-to-lend')`
   with wanted as materialized (
     select h.id from host h
      where ${hasPageDue}
        and h.id <> all ($5) and h.not_before <= now() + ${askAgain}
      order by h.not_before, h.id
      limit $4
      for update skip locked
   )
   update host
      set lend_wanted_until = now() + ${wants}, lend_until = case when lent then lend_until else now() + ${askAgain} end
     from wanted where host.id = wanted.id`;

export interface LendableHost extends TakenLease {
  readonly id: number;
  readonly origin: string;
}

/**
 * Takes the leases of up to `limit` free hosts of these shards that may be visited now, except the hosts `but`, and
 * reserves one request of each host's quota. The host that has waited longest comes first. After the foreign fetchers'
 * turn at a host that our workers work, the workers have two seconds in which the host is not lent again.
 */
export const lendHosts = statement<
  [
    shards: readonly number[],
    crawlIds: readonly number[],
    robotsFreshMs: number,
    limit: number,
    leaseMs: number,
    but: readonly number[],
  ],
  LendableHost
>('lend-hosts')`
   with free as materialized (
     select h.id from host h
      where ${hasPageDue}
        and h.not_before <= now() and h.id <> all ($6)
        and (h.lease_token is null or h.lease_until < now())
        and coalesce(h.guest_until, '-infinity') < now()
        and (not h.lent or not h.fed or h.not_before < now() - interval '2 seconds')
      order by h.not_before, h.id
      limit $4
      for update skip locked
   )
   update host
      set lease_token = nextval('lease_token'), lease_until = now() + $5 * interval '1 millisecond', ${reserving('1')}
     from free where host.id = free.id
   returning host.id, host.origin, ${takenColumns}`;

/**
 * Records a batch and extends the hosts' leases for it. Rows that come back are lent; a row whose lease was lost
 * meanwhile is not. Each loan is a request of the fetchers' turn, which began when the workers left the host to them, or
 * begins now if the host was not kept for them; after the last the workers are next.
 * `rows`: [{host_id, crawl_id, key, url, token}], keys in hex.
 */
export const handOutUrls = statement<
  [batchId: string, tenantId: number, fetcherId: string, leaseMs: number, rows: string],
  { token: number }
>('hand-out-urls')`
   with r as materialized (
     select * from json_to_recordset($5) as r(host_id bigint, crawl_id bigint, key text, url text, token bigint)
   ), held as (
     update host h
        set lease_until = now() + $4 * interval '1 millisecond', lend_until = null,
            lend_began = case when h.lend_until > now() then coalesce(h.lend_began, now()) else now() end,
            lent = h.lend_turns <= 1, lend_turns = greatest(h.lend_turns - 1, 0),
            lend_wanted_until = now() + $4 * interval '1 millisecond'
       from r where h.id = r.host_id and h.lease_token = r.token and h.lease_until > now()
     returning h.id
   ), batch as (
     insert into lent_batch (id, tenant_id, fetcher_id, until)
     values ($1, $2, $3, now() + $4 * interval '1 millisecond')
   )
   insert into lent_url (batch_id, host_id, crawl_id, key, url, token)
   select $1, r.host_id, r.crawl_id, decode(r.key, 'hex'), r.url, r.token from r join held on held.id = r.host_id
   returning token`;

/** Running crawls of a tenant: all of them if `crawlId` is null, else only this one. */
export const crawlsToLendFrom = statement<[tenantId: number, crawlId: string | null], { id: number }>(
  'crawls-to-lend-from',
)`
   select id from crawl where tenant_id = $1 and state = 'running' and ($2::bigint is null or id = $2)`;

export interface EndedLoans {
  /** Loans of the last hour that were reported. */
  readonly settled: number;
  /** Loans of the last hour that ran out without a report, or were wasted. */
  readonly lapsed: number;
  /** Loans that have neither been reported nor run out. */
  readonly open: number;
  /** Hosts of such loans in the last ten minutes. */
  readonly lapsed_hosts: readonly number[];
}

/** The first number of the advisory locks of tenants' loans; the second is the tenant. */
const loansOf = String(0x6c656e74);

/** Until the transaction ends, nothing else is lent to this tenant. */
export const lockLoansOfTenant = statement<[tenantId: number]>('lock-loans-of-tenant')`
   select from pg_advisory_xact_lock(${loansOf}, ($1::bigint % 2147483647)::int)`;

const isLapsed = '(l.wasted or l.settled_at is null and b.until < now())';

/** How the fetchers of a tenant have dealt with what was lent to them. */
export const loansOfTenant = statement<[tenantId: number], EndedLoans>('loans-of-tenant')`
   select count(*) filter (where l.settled_at is not null and not l.wasted)::int as settled,
          count(*) filter (where ${isLapsed})::int as lapsed,
          count(*) filter (where l.settled_at is null and b.until >= now())::int as open,
          coalesce(array_agg(distinct l.host_id)
                     filter (where ${isLapsed} and coalesce(l.settled_at, b.until) > now() - interval '10 minutes'),
                   '{}') as lapsed_hosts
     from lent_batch b join lent_url l on l.batch_id = b.id
    where b.until > now() - interval '1 hour' and b.tenant_id = $1`;

/**
 * Leaves a host to the workers after a foreign fetcher's turn has come to nothing: the next turn is the workers' own,
 * and no fetcher holds them back.
 */
export const leaveToWorkers = statement<[hostId: number]>('leave-to-workers')`
   update host set lent = true, lend_turns = 0, lend_until = null where id = $1`;

/** Deletes batches that ended more than a day ago: nobody asks for them any more. */
export const forgetLent = statement<[limit: number]>('forget-lent')`
   delete from lent_batch
    where id in (select id from lent_batch where until < now() - interval '1 day' order by until limit $1
                    for update skip locked)`;
