/**
 * Hosts that wait for a place, as the statements look for them that give places (`hostsForPlaces`, `hostsForDoor`). Who
 * gets the places is decided by domain/front-queue/.
 *
 * A crawl's hosts wait in six queues: three tiers, each with a class for hosts of authority and one for the long tail.
 * An index finds the hosts of each queue that have waited longest. So a look costs as much as the hosts it looks at,
 * about `looks` for all crawls together, and a million hosts of a low tier hide none of a high one. Hosts that turn out
 * not to be ready had their turn noted too early (storage/migrations/0007_frontier.sql); `correctTurns` puts their turns
 * right, so that each is looked at once and none stands before others for long.
 *
 * `limit 1` instead of `exists` keeps it so: each row is looked up by its index. Postgres turns an `exists` into a join
 * with all hosts that wait when it expects to look at many (10,000 hosts: 10 ms a statement instead of 3).
 */

import type { HostPlace } from '../../domain/regions.ts';
import { isItsTurn } from '../hosts/index.ts';

/** Most hosts that one look takes from queues of one kind over all crawls, unless `fewestLooks` for each are more. */
const looks = 700;
const fewestLooks = 4;
/** Most hosts that a look takes from a queue beyond twice the number of free places: not all of them are ready. */
const spareLooks = 32;

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

/** A host that is ready, as a crawl wants it. A host that several crawls want has several rows. */
export interface Ready {
  readonly host_id: number;
  readonly crawl_id: number;
  readonly tenant_id: number;
  /** Of the crawl. */
  readonly weight: number;
  readonly tier: 0 | 1 | 2;
  readonly authority: boolean;
  /** When the host's turn came, in seconds since 1970; null: longer ago than anything else. */
  readonly since: number | null;
  /** At the door: what tells the region of the host; null: the instance has no regions. */
  readonly place?: HostPlace | null;
}

/** Places that a crawl has in a tier. */
export interface Held {
  readonly crawl_id: number;
  /** 0: no crawl. */
  readonly tenant_id: number;
  readonly weight: number;
  readonly tier: 0 | 1 | 2;
  readonly hosts: number;
}

/** A row of a look: one of these. */
export type Looked =
  | { readonly held: Held; readonly ready: null; readonly aside: null }
  | { readonly held: null; readonly ready: Ready; readonly aside: null }
  | { readonly held: null; readonly ready: null; readonly aside: Aside };

export interface Look {
  /** Condition on the queue `q` of a host: the statement looks at these queues only. An index must support it. */
  readonly of: string;
  /** The number of places that hosts are looked for, a scalar. If it is 0, no host is looked at. */
  readonly free: string;
  /** Further conditions on the crawl `c` and on the host `h`. */
  readonly crawl: string;
  readonly host: string;
  /** At the door: the regions in whose queues it looks, an array; and what tells the region of `h`, a `HostPlace`. */
  readonly regions?: { readonly names: string; readonly place: string };
}

/** The queues in which the hosts of a crawl wait. */
const fronts = `select tier::smallint, authority from generate_series(0, 2) tier, unnest(array[true, false]) authority`;

/** The host of `q` is in the queue `f` of the crawl `c`. */
const isIn = (of: string): string =>
  `q.crawl_id = c.id and ${of} and q.tier = f.tier and q.authority = f.authority and q.has_queued`;

/** And its turn has come, perhaps too early. */
const isWaiting = (of: string): string => `${isIn(of)} and q.turn_at <= now()`;

/**
 * Common table expressions. `ready`: as `Ready`. `aside`: queues of hosts that get no turn, because their time has not
 * come, or because the `domain` has opted out.
 */
export const waitingHosts = ({ of, free, crawl, host, regions }: Look): string => `front as materialized (
     ${regions === undefined ? fronts : `select f.*, region from (${fronts}) f, unnest(${regions.names}) region`}
   ), running as materialized (
     select c.id, c.tenant_id, coalesce((c.config ->> 'weight')::float8, 1) as weight,
            greatest(${String(fewestLooks)}, ${String(looks)} / count(*) over ()) as looks
       from crawl c
      where c.state = 'running' and ${free} > 0 and ${crawl}
        and (select true from front f
              cross join lateral (select from host_queue q where ${isWaiting(of)} limit 1) one limit 1)
   ), seen as materialized (
     select q.host_id, q.crawl_id, q.turn_at, c.tenant_id, c.weight, f.tier, f.authority, h.domain,
            h.in_hand or h.at > now() + interval '1 second' or not h.ready or not ${queueIsDue} as early, h.in_hand
            ${regions === undefined ? '' : ', h.place'}
       from running c cross join front f
      cross join lateral (
        select host_id, crawl_id, turn_at, own_turn_at, turn_version, held_until, logged_out_at from host_queue q
         where ${isWaiting(of)}
         order by q.turn_at limit least(c.looks, 2 * ${free} + ${String(spareLooks)})
      ) q
      cross join lateral (
        select greatest(h.not_before, h.closed_until) as at, h.fed or h.parked_at is not null or h.paused_at is not null as in_hand,
               coalesce(${host}, false) as ready,
               case when exists (select from opt_out) then opt_out_covering(h.origin) end as domain
               ${regions === undefined ? '' : `, ${regions.place} as place`}
          from host h where h.id = q.host_id limit 1
      ) h
   ), aside as materialized (
     select host_id, crawl_id, case when not in_hand then domain end as domain from seen where early or domain is not null
   ), ready as materialized (
     select host_id, crawl_id, tenant_id, weight, tier, authority ${regions === undefined ? '' : ', place'},
            case when turn_at > '-infinity' then extract(epoch from turn_at)::float8 end as since
       from seen where not early and domain is null
   )`;

/** Common table expression `held`: as `Held`. `taken`: relation (crawl_id, tier, hosts). */
export const heldPlaces = (taken: string): string => `held as (
     select t.crawl_id, coalesce(c.tenant_id, 0) as tenant_id, coalesce((c.config ->> 'weight')::float8, 1) as weight,
            t.tier, t.hosts
       from ${taken} t left join crawl c on c.id = t.crawl_id
   )`;

/** The rows of a look, of these common table expressions. */
export const looked = `select to_jsonb(h) as held, null::jsonb as ready, null::jsonb as aside from held h
   union all
   select null, to_jsonb(r), null from ready r
   union all
   select null, null, to_jsonb(a) from aside a`;

/** Hosts that wait, counted no further than `most`; perhaps too early, and once for each crawl that wants them. */
export const countOfWaiting = (of: string, most: string): string => `select count(*)::int as waiting
     from (select from crawl c cross join (${fronts}) f
            cross join lateral (select from host_queue q where ${isWaiting(of)} limit ${most}) q
            where c.state = 'running' limit ${most}) waiting`;

/** Is the turn of any host come, perhaps too early? A condition. */
export const isAnyDue = (of: string): string => `exists (
             select from crawl c cross join (${fronts}) f
              cross join lateral (select from host_queue q where ${isWaiting(of)} limit 1) q
              where c.state = 'running')`;

/** When the next host has its turn, a scalar; null: no host waits. */
export const earliestTurn = (of: string): string => `(
     select min(q.turn_at) from crawl c cross join (${fronts}) f
      cross join lateral (select q.turn_at from host_queue q
                           where ${isIn(of)} and q.turn_at is not null order by q.turn_at limit 1) q
      where c.state = 'running')`;
