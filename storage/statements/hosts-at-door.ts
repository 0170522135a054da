import { fairTurns, type Aside } from '../fair-turns.ts';
import { onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';
import { byDefault, reserving, takenColumns, type TakenLease } from './take-lease.ts';

/** A host whose lease is taken. */
export interface HostAtDoor extends TakenLease {
  readonly id: number;
  readonly origin: string;
  /** Running crawls that want it; the first has it on its account. */
  readonly crawls: readonly [number, ...number[]];
}

/** Hosts of a crawl that answer and wait to be worked: with so many, no more are looked for. */
const waitingEnough = 200;

/**
 * Takes the leases of hosts with due URLs of which nobody knows yet whether they answer, in fair turns of tenants and
 * crawls (fair-turns.ts). `places`: [{crawl_id, hosts}], the hosts that the process asks already. No crawl gets more
 * places than `most`, so that a few are left for a crawl that comes while hosts that do not answer take all the others.
 */
export const hostsAtDoor = statement<
  [places: string, free: number, most: number, leaseMs: number],
  { readonly asked: HostAtDoor; readonly aside: null } | { readonly asked: null; readonly aside: Aside }
>(
  'hosts-at-door',
  `with asked as materialized (
     select * from json_to_recordset($1) as r(crawl_id bigint, hosts int)
   ), ${fairTurns({
     of: 'not q.known',
     held: 'asked',
     free: '$2::int',
     crawl: `(select count(*) from (select from host_queue q
                                     where q.crawl_id = c.id and q.known and q.queued > 0 and q.turn_at is not null
                                     limit ${String(waitingEnough)}) waiting) < ${String(waitingEnough)}`,
     host: `h.known_at is null and (h.lease_token is null or h.lease_until < now())
              and coalesce(greatest(h.guest_until, h.lend_until), '-infinity') < now()`,
   })}, chosen as materialized (
     select h.id, r.crawl_id from host h join ranked r on r.host_id = h.id
      where r.place <= $2 and r.nth <= $3
        and not h.fed and h.parked_at is null and h.paused_at is null and h.known_at is null
        and greatest(h.not_before, h.closed_until) <= now() + interval '1 second'
        and (h.lease_token is null or h.lease_until < now())
      order by h.id for update of h skip locked
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q
      where q.host_id in (select id from chosen) and q.queued > 0 order by q.host_id, q.crawl_id for update
   ), out as (
     update host_queue q set turn_at = now() + $4 * interval '1 millisecond'
       from held l where q.host_id = l.host_id and q.crawl_id = l.crawl_id
   ), taken as (
     update host h
        set lease_token = nextval('lease_token'), lease_until = now() + $4 * interval '1 millisecond', idle = false,
            ${reserving(byDefault)}
       from chosen c where h.id = c.id and ${onceHeld}
     returning h.id, h.origin, c.crawl_id, ${takenColumns}
   )
   select to_jsonb(t) || jsonb_build_object('crawls', t.crawl_id || array(
            select l.crawl_id from held l join crawl c on c.id = l.crawl_id and c.state = 'running'
             where l.host_id = t.id and l.crawl_id <> t.crawl_id)) as asked,
          null as aside
     from taken t
   union all
   select null, to_jsonb(a) from aside a`,
);
