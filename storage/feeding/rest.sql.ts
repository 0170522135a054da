/** How a host goes idle, wakes and retires. */
import { statement, type Queryable } from '../postgres/index.ts';
import { onceHeld } from '../frontier/index.ts';
import { isItsTurn } from '../hosts/index.ts';

/**
 * A common table expression `held` that locks the queues of several hosts in the one order. The trigger by which these
 * hosts get or lose their turns takes them host by host, in the order in which the statement meets the hosts.
 */
const queuesOf = (hosts: string): string => `held as materialized (
     select from host_queue q where q.host_id in (select id from ${hosts}) order by q.host_id, q.crawl_id for update
   )`;

/**
 * Notes that the host's workflow will wait to be told of new URLs. The caller must look once more afterwards: a URL may
 * have come before.
 */
export const markIdle = statement<[hostId: string]>('mark-idle')`update host set idle = true where id = $1`;

/** Answers the hosts whose workflows wait to be told of new URLs. The caller must tell these workflows. */
export const claimIdleHosts = statement<[hostIds: readonly number[]], { origin: string }>('claim-idle-hosts')`
   update host set idle = false
    where id in (select id from host where id = any ($1) and idle order by id for update skip locked) and idle
   returning origin`;

/**
 * Hosts that have no workflow although they should have one (a workflow was terminated by hand, or a crash came between
 * two steps of feeding), or whose workflow has not been told that it sleeps too long: work waits, the host may be visited, and no lease was held for ten seconds. A workflow that is
 * alive after all is only woken once more.
 */
export const refeedHosts = statement<[shard: number], { id: number; origin: string }>('refeed-hosts')`
   with lost as materialized (
       select h.id from host h
        where h.shard = $1 and h.parked_at is null and h.paused_at is null
          and h.not_before < now() - interval '10 seconds' and h.closed_until < now() - interval '10 seconds'
          and coalesce(h.lease_until, '-infinity') < now() - interval '10 seconds'
          and coalesce(h.fed_at, '-infinity') < now() - interval '10 seconds'
          and (exists (select 1 from url u where u.host_id = h.id and u.state = 'leased')
               or h.fed and exists (select 1 from host_queue q
                                      join crawl c on c.id = q.crawl_id and c.state = 'running'
                                     cross join lateral (select 1 from url u
                                                          where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                                            and u.state = 'queued' and u.due_at <= now() limit 1) due
                                     where q.host_id = h.id and q.has_queued and ${isItsTurn}))
        order by h.fed_at nulls first limit 20
        for update skip locked
   ), ${queuesOf('lost')}
   update host h set fed = true, fed_at = now() from lost where h.id = lost.id and ${onceHeld}
   returning h.id, h.origin`;

/** Milliseconds between two looks that both found a lease run out. After an outage its holder renews it meanwhile. */
const suspectMs = 3_000;
/** A lost visit is named again after so many milliseconds. */
const againMs = 10_000;

const suspects = statement<[shard: number], { id: number; origin: string; lease: number; lost: boolean }>(
  'lost-visits',
)`
   update host h
      set suspect_at = now() + case when x.lost then interval '${String(againMs - suspectMs)} milliseconds' else '0' end
     from (
       select id, coalesce(suspect_at < now() - interval '${suspectMs} milliseconds'
                           and suspect_at > now() - interval '${String(2 * againMs)} milliseconds', false) as lost
         from host
        where shard = $1 and fed and parked_at is null and lease_token is not null and lease_until < now()
          and (suspect_at is null or suspect_at < now() - interval '${suspectMs} milliseconds')
        order by lease_until limit 300
        for update skip locked
     ) x
    where h.id = x.id
   returning h.id, h.origin, h.lease_token as lease, x.lost`;

/**
 * Hosts whose visit is lost: its worker was killed, is frozen or is cut off, so that the lease has run out and was not
 * returned, and three seconds later is still so.
 */
export const lostVisits = async (db: Queryable, shard: number): ReturnType<typeof suspects> =>
  (await suspects(db, shard)).filter(({ lost }) => lost);

/**
 * Gives up to `limit` hosts that are marked as fed back to the scheduler. The caller must know that none of them has a
 * workflow any more.
 */
export const unfeedHosts = statement<[limit: number], { id: number }>('unfeed-hosts')`
   with given as materialized (
     select id from host where fed order by id limit $1 for update skip locked
   ), ${queuesOf('given')}
   update host h set fed = false, idle = false from given where h.id = given.id and ${onceHeld}
   returning h.id`;

/**
 * Gives a host back to the scheduler. No row: the host is not given back, because URLs are due and nobody else wants
 * its place, or because URLs are in hand.
 */
export const retireHost = statement<[hostId: string], { id: number }>('retire-host')`
   update host h set fed = false
    where h.id = $1
      and not exists (select 1 from url u where u.host_id = h.id and u.state = 'leased')
      and (h.yield_at is not null
           or not exists (select 1 from host_queue q
                            join crawl c on c.id = q.crawl_id and c.state = 'running'
                           cross join lateral (select 1 from url u
                                                where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                                  and u.state = 'queued' and u.due_at <= now() limit 1) due
                           where q.host_id = h.id and q.has_queued and ${isItsTurn}))
   returning id`;
