import { isItsTurn } from '../crawl-turns.ts';
import { statement } from '../statement.ts';
import { reserving, takenColumns, type TakenLease } from './take-lease.ts';

export interface LendableHost extends TakenLease {
  readonly id: number;
  readonly origin: string;
}

/**
 * Hosts of the shards at which one of the crawls has a page due, as far as robots.txt is known there. If a fetcher of
 * the crawl's tenant has reported trouble, a worker of ours asks first.
 */
export const hasPageDue = `h.shard = any ($1) and h.parked_at is null and h.paused_at is null and h.closed_until <= now()
          and h.id in (select q.host_id from host_queue q
                         join crawl c on c.id = q.crawl_id and c.state = 'running'
                        where q.crawl_id = any ($2) and q.queued > 0 and ${isItsTurn}
                          and q.held_until = '-infinity'
                          and 0 = (select u.kind from url u
                                    where u.host_id = q.host_id and u.crawl_id = q.crawl_id and u.state = 'queued'
                                      and u.due_at <= now()
                                    order by u.priority desc, u.key limit 1))
          and exists (select 1 from robots r
                       where r.host_id = h.id and r.fetched_at > now() - $3 * interval '1 millisecond'
                         and r.fetched_at > coalesce(h.robots_asked_at, '-infinity'))`;

/**
 * Takes the leases of up to `limit` free hosts of these shards that may be visited now, longest waiting first, with one request of
 * their quota reserved. After a foreign turn the workers have right of way for two seconds, where they work the host.
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
>(
  'lend-hosts',
  `with free as materialized (
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
   returning host.id, host.origin, ${takenColumns}`,
);
