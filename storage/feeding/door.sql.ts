/** The door, where a host is asked for its robots.txt before it is fed. */
import type { TroubleClass } from '../../domain/trouble.ts';
import { heldPlaces, looked, waitingHosts, type Looked } from './waiting-hosts.ts';
import { onceHeld } from '../frontier/index.ts';
import { statement } from '../postgres/index.ts';
import { byDefault, reserving, takenColumns, type TakenLease } from '../leases/index.ts';

/** A host whose lease was taken to ask it. */
export interface HostAtDoor extends TakenLease {
  readonly id: number;
  readonly origin: string;
  /** Running crawls that want the host; the host counts among the places of the first. */
  readonly crawls: readonly [number, ...number[]];
}

/**
 * If so many hosts of a crawl are known to answer and could be worked now, the door asks no further hosts for that crawl.
 * A host that waits for its own time does not count: after its robots.txt it is owed the crawl's delay, and a delay of a
 * minute would let 200 hosts a minute through the door.
 */
const waitingEnough = 200;

/**
 * The places of a process that are taken, and hosts that wait at the door: hosts with due URLs of which nobody knows yet
 * whether they answer. `places`: [{crawl_id, hosts}], the hosts that the process asks already. @param regions in whose
 * queues they wait; '' is of none @param placed say what tells their region
 */
export const hostsForDoor = statement<
  [places: string, free: number, regions: readonly string[], placed: boolean],
  Looked
>('hosts-for-door')`
   with taken as materialized (
     select crawl_id, 1::smallint as tier, hosts from json_to_recordset($1) as r(crawl_id bigint, hosts int)
   ), ${waitingHosts({
     of: 'not q.known and q.region = f.region',
     free: '$2::int',
     crawl: `(select count(*) from (select from host_queue q
                                     where q.crawl_id = c.id and q.known and q.has_queued and q.turn_at <= now()
                                     limit ${String(waitingEnough)}) waiting) < ${String(waitingEnough)}`,
     host: `h.known_at is null and (h.lease_token is null or h.lease_until < now())
              and coalesce(greatest(h.guest_until, h.lend_until), '-infinity') < now()`,
     regions: {
       names: '$3::text[]',
       place: `case when $4 then json_build_object(
                       'origin', h.origin, 'set', h.settings ->> 'region',
                       'place', (select r.place from robots r where r.host_id = h.id)) end`,
     },
   })}, ${heldPlaces('taken')}
   ${looked}`;

/** Leaves hosts to the doors of other regions. `queues`: [{host_id, crawl_id, region}]. */
export const leaveToDoors = statement<[queues: string]>('leave-to-doors')`
   with held as materialized (
     select q.host_id, q.crawl_id, r.region from host_queue q
       join json_to_recordset($1) as r(host_id bigint, crawl_id bigint, region text) using (host_id, crawl_id)
      order by q.host_id, q.crawl_id for update of q
   )
   update host_queue q set region = held.region from held where q.host_id = held.host_id and q.crawl_id = held.crawl_id`;

/** Takes the leases of hosts at the door that nobody took meanwhile. `places`: [{host_id, crawl_id}]. */
export const admitAtDoor = statement<[places: string, leaseMs: number], HostAtDoor>('admit-at-door')`
   with place as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, crawl_id bigint)
   ), chosen as materialized (
     select h.id, p.crawl_id from host h join place p on p.host_id = h.id
      where h.id in (select host_id from place)
        and not h.fed and h.parked_at is null and h.paused_at is null and h.known_at is null
        and greatest(h.not_before, h.closed_until) <= now() + interval '1 second'
        and (h.lease_token is null or h.lease_until < now())
      order by h.id for update of h skip locked
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q
      where q.host_id in (select id from chosen) and q.has_queued order by q.host_id, q.crawl_id for update
   ), out as (
     update host_queue q set turn_at = now() + $2 * interval '1 millisecond'
       from held l where q.host_id = l.host_id and q.crawl_id = l.crawl_id
   ), taken as (
     update host h
        set lease_token = nextval('lease_token'), lease_until = now() + $2 * interval '1 millisecond', idle = false,
            ${reserving(byDefault)}
       from chosen c where h.id = c.id and ${onceHeld}
     returning h.id, h.origin, c.crawl_id, ${takenColumns}
   )
   select t.*, to_json(t.crawl_id || array(
            select l.crawl_id from held l join crawl c on c.id = l.crawl_id and c.state = 'running'
             where l.host_id = t.id and l.crawl_id <> t.crawl_id)) as crawls
     from taken t`;

/** Notes that the host answers: the host waits for its turn to be worked. */
export const markKnown = statement<[hostId: number]>('mark-known')`
   update host set known_at = now() where id = $1`;

/**
 * Marks a host whose retries are spent as worked, among the places of a crawl; no row: the host is already worked or
 * parked, or has answered meanwhile.
 */
export const markSpent = statement<[hostId: number, crawlId: number], { id: number }>('mark-spent')`
   update host set fed = true, fed_at = now(), fed_for = $2
    where id = $1 and not fed and parked_at is null and known_at is null and failures > 0
   returning id`;

export interface Unanswered {
  readonly host_id: number;
  readonly class: TroubleClass;
  readonly message: string;
}

/**
 * Notes hosts that did not answer when the URL wanted most there was tried, and puts their turn off until they may be
 * asked again. `rows`: see `Unanswered`. No answer.
 */
export const noteUnanswered = statement<[rows: string]>('note-unanswered')`
   with r as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, class text, message text)
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q
      where q.host_id in (select host_id from r) and q.has_queued order by q.host_id, q.crawl_id for update
   ), wanted as materialized (
     select r.host_id, r.class, r.message, u.crawl_id, u.key from r
      cross join lateral (
        select u.crawl_id, u.key, u.priority from held q
          join crawl c on c.id = q.crawl_id and c.state = 'running'
         cross join lateral (select crawl_id, key, priority from url
                              where host_id = q.host_id and crawl_id = q.crawl_id and state = 'queued'
                                and due_at <= now()
                              order by priority desc, key limit 1) u
         where q.host_id = r.host_id
         order by u.priority desc, u.crawl_id limit 1) u
   ), tried as (
     update url u set attempts = u.attempts + 1, reason = w.class, detail = w.message
       from wanted w
      where u.host_id = w.host_id and u.crawl_id = w.crawl_id and u.key = w.key and u.state = 'queued'
     returning u.host_id, u.crawl_id, u.key, u.reason, u.detail
   ), noted as (
     insert into attempt (host_id, crawl_id, key, class, message)
     select host_id, crawl_id, key, reason, detail from tried
   )
   update host_queue q set turn_at = h.not_before
     from held l join host h on h.id = l.host_id
    where q.host_id = l.host_id and q.crawl_id = l.crawl_id and q.turn_at is not null and h.not_before > now()`;
