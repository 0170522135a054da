import { statement } from '../statement.ts';

/**
 * URLs that a crash left leased, as `leases` finds them: rows of `url` u. For each crawl the first in line was in
 * flight, as far as anybody can know. A URL that was first in line at six crashes is no longer trusted: it fails as
 * 'poison' and stays re-drivable as a dead letter.
 */
export const puttingBack = (leases: string): string =>
  `left_behind as materialized (
     select u.host_id, u.crawl_id, u.key, u.lease_token, u.reclaims >= 5 as often,
            row_number() over (partition by u.host_id, u.crawl_id order by u.priority desc, u.key) = 1 as in_flight
       from ${leases} and u.state = 'leased'
   ), back as (
     update url u set state = case when l.in_flight and l.often then 'failed' else 'queued' end::url_state,
                      reason = case when l.in_flight and l.often then 'poison' end,
                      detail = case when l.in_flight and l.often then 'its fetch was cut off by six crashes' end,
                      reclaims = u.reclaims + l.in_flight::int, lease_token = null
       from left_behind l
      where u.host_id = l.host_id and u.crawl_id = l.crawl_id and u.key = l.key and u.state = 'leased'
        and u.lease_token is not distinct from l.lease_token
     returning u.host_id, u.crawl_id, u.key, u.state, u.status, u.reason, u.detail, u.attempts
   ), buried as (
     insert into dead_letter (host_id, crawl_id, key, class, status, message, attempts)
     select host_id, crawl_id, key, reason, status, detail, attempts from back where state = 'failed'
     on conflict do nothing
   )
   select state from back`;

/**
 * Puts back URLs of a host that are leased under any token but the present one: a crash left them. The caller must hold
 * the host's lease. Only URLs of the lease that the caller saw are put back: otherwise a process that took the lease,
 * froze, and wakes up when another process has it would put back what that process is fetching.
 */
export const reclaimUrls = statement<[hostId: string, token: number], { state: string }>(
  'reclaim-urls',
  `with ${puttingBack(`url u
      where u.host_id = $1 and u.lease_token is distinct from $2
        and exists (select 1 from host h where h.id = $1 and h.lease_token = $2)`)}`,
);
