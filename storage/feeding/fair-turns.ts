/**
 * The order in which hosts get their turn, for the statements that give turns (`feedHosts`, `hostsAtDoor`). Places are
 * shared: only so many hosts are worked, or asked whether they answer, at a time. A free place goes to the tenant that
 * has fewest places, within the tenant to the crawl that has fewest for its weight, and within the crawl to the host
 * that has waited longest. So a crawl that comes late gets the next places, however many hosts of others wait, and a
 * crawl that is alone gets all places.
 *
 * A statement costs as much as the hosts it looks at, about `looks` for all crawls together, found by an index. Hosts
 * that turn out not to be ready had their turn noted too early (storage/migrations/0007_frontier.sql); `correctTurns`
 * puts their turns right, so that each is looked at once and none stands before others for long.
 *
 * `limit 1` instead of `exists` keeps it so: each row is looked up by its index. Postgres turns an `exists` into a join
 * with all hosts that wait when it expects to look at many (10,000 hosts: 10 ms a statement instead of 3).
 */

import { isItsTurn } from '../hosts/index.ts';

/** Most hosts that one statement looks at over all crawls, unless `fewestLooks` for each crawl are more. */
const looks = 2_000;
const fewestLooks = 4;

/** A URL of the queue `q` is due, and the crawl's own delay allows its turn. */
export const queueIsDue = `(${isItsTurn}
                               and coalesce((select true from url u where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                                      and u.state = 'queued' and u.due_at <= now() limit 1), false))`;

/** The host `h` answered within the last day, and is expected to answer again. */
export const hostIsKnown = `greatest(h.known_at, h.asked_at) > now() - interval '1 day'`;

/** A queue of a host that gets no turn. */
export interface Aside {
  readonly host_id: number;
  readonly crawl_id: number;
  /** The entry of the opt-out list that covers the host; null: the host's time has not come. */
  readonly domain: string | null;
}

export interface Turns {
  /** Condition on the queue `q` of a host: the statement gives turns to these queues only. An index must support it. */
  readonly of: string;
  /** Relation (crawl_id, hosts): places that are taken. */
  readonly held: string;
  /** The number of free places, a scalar. If it is 0, no host is looked at. */
  readonly free: string;
  /** Further conditions on the crawl `c` and on the host `h`. */
  readonly crawl: string;
  readonly host: string;
}

/**
 * Common table expressions. `ranked`: hosts that are ready, each once, counted for one crawl that wants the host, with
 * the `place` of the host in the order and its number `nth` among the places of its crawl. `aside`: queues of hosts
 * that get no turn, because their time has not come, or because the `domain` has opted out.
 */
export const fairTurns = ({ of, held, free, crawl, host }: Turns): string => `running as materialized (
     select c.id, c.tenant_id, coalesce((c.config ->> 'weight')::float8, 1) as weight, coalesce(t.hosts, 0) as holds,
            greatest(${String(fewestLooks)}, ${String(looks)} / count(*) over ()) as looks
       from crawl c left join ${held} t on t.crawl_id = c.id
      where c.state = 'running' and ${free} > 0 and ${crawl}
        and (select true from host_queue q
              where q.crawl_id = c.id and ${of} and q.queued > 0 and q.turn_at <= now() limit 1)
   ), of_tenant as materialized (
     select c.tenant_id, sum(t.hosts) as holds from ${held} t join crawl c on c.id = t.crawl_id group by 1
   ), seen as materialized (
     select q.host_id, q.crawl_id, q.turn_at, c.tenant_id, c.weight, c.holds, h.domain,
            h.in_hand or h.at > now() + interval '1 second' or not h.ready or not ${queueIsDue} as early, h.in_hand
       from running c
      cross join lateral (
        select host_id, crawl_id, turn_at, own_turn_at, turn_version, held_until from host_queue q
         where q.crawl_id = c.id and ${of} and q.queued > 0 and q.turn_at <= now()
         order by q.turn_at limit least(c.looks, 2 * ${free} + 100)
      ) q
      cross join lateral (
        select greatest(h.not_before, h.closed_until) as at, h.fed or h.parked_at is not null or h.paused_at is not null as in_hand,
               coalesce(${host}, false) as ready,
               case when exists (select from opt_out) then opt_out_covering(h.origin) end as domain
          from host h where h.id = q.host_id limit 1
      ) h
   ), aside as materialized (
     select host_id, crawl_id, case when not in_hand then domain end as domain from seen where early or domain is not null
   ), wanted as (
     select distinct on (s.host_id) s.*, coalesce(t.holds, 0) as tenant_holds
       from seen s left join of_tenant t using (tenant_id)
      where not s.early and s.domain is null
      order by s.host_id, coalesce(t.holds, 0), s.holds / s.weight, s.crawl_id
   ), of_crawl as (
     select *, holds + row_number() over (partition by crawl_id order by turn_at, host_id) as nth from wanted
   ), ranked as materialized (
     select host_id, crawl_id, nth,
            row_number() over (order by tenant_holds + of_tenant, nth / weight, turn_at, host_id) as place
       from (select *, row_number() over (partition by tenant_id order by nth / weight, turn_at, host_id) as of_tenant
               from of_crawl) each
   )`;
