/** How hosts are fed in fair turns. */
import { fairTurns, hostIsKnown, type Aside, queueIsDue } from './fair-turns.ts';
import { onceHeld } from '../frontier/index.ts';
import { statement } from '../postgres/index.ts';
import { workedHosts } from './worked-hosts.ts';
import { isItsTurn } from '../hosts/index.ts';

export interface FedHost {
  readonly id: number;
  readonly origin: string;
}

/**
 * Marks hosts of a shard that have due URLs and that nobody works, in fair turns of tenants and crawls (fair-turns.ts),
 * until as many hosts are active as the cap allows. The statement locks the queues in their order before it marks the
 * hosts, since marking fires the trigger that takes away the turns of these queues.
 */
export const feedHosts = statement<
  [shard: number, activeHosts: number],
  { readonly fed: FedHost; readonly aside: null } | { readonly fed: null; readonly aside: Aside }
>(
  'feed-hosts',
  `with worked as materialized (
     select coalesce(fed_for, 0) as crawl_id, count(*) as hosts from ${workedHosts('$1')} group by 1
   ), room as materialized (
     select greatest(0, $2 - coalesce(sum(hosts), 0)) as free from worked
   ), ${fairTurns({
     of: 'q.known and q.shard = $1',
     held: 'worked',
     free: '(select free from room)',
     crawl: 'true',
     host: hostIsKnown,
   })}, chosen as materialized (
     select h.id, r.crawl_id from host h join ranked r on r.host_id = h.id
      where r.place <= (select free from room)
        and not h.fed and h.parked_at is null and h.paused_at is null and greatest(h.not_before, h.closed_until) <= now() + interval '1 second'
      order by h.id for update of h skip locked
   ), held as materialized (
     select from host_queue q where q.host_id in (select id from chosen) and q.queued > 0
      order by q.host_id, q.crawl_id for update
   ), fed as (
     update host h set fed = true, fed_at = now(), fed_for = c.crawl_id, yield_at = null
       from chosen c where h.id = c.id and ${onceHeld}
     returning h.id, h.origin
   )
   select to_jsonb(f) as fed, null as aside from fed f
   union all
   select null, to_jsonb(a) from aside a`,
);

export interface AskedBack {
  readonly id: number;
  readonly origin: string;
  /** The host's workflow sleeps until the host may be visited, so the caller must tell the workflow. */
  readonly asleep: boolean;
}

/** Most places that one statement looks for, for each crawl; the next tick looks for more. */
const atOnce = 50;

/**
 * The order of a crawl's worked hosts: the last host gives its place back first. Last come hosts that were asked to a
 * moment ago and still have their places. Before them come hosts that can give their places back soon, because a slice
 * is under way or a timer ends before one. First come hosts that are in trouble, lent, or wait for a fetch slot. Among
 * hosts of one kind, the host that was worked longest comes last.
 */
const givingBack = `case when failures > 0 or lent then 0
                         when yield_at > now() - interval '30 seconds' then 2
                         when lease_until > now() or not_before > now() then 1
                         else 0 end, fed_at desc nulls last, id`;

/**
 * If all places are taken and a tenant or crawl with less than its fair share has hosts that are ready, marks worked
 * hosts of tenants and crawls that have more than their fair share. The statement ranks all claims as if no place were
 * taken; within a crawl, worked hosts rank before waiting ones. Worked hosts that rank beyond the cap must give their
 * places back. Between equals nothing changes, so that no place goes to and fro. If one crawl has all the places, the
 * statement looks for nothing.
 */
export const askPlacesBack = statement<
  [shard: number, activeHosts: number],
  { readonly asked: AskedBack; readonly aside: null } | { readonly asked: null; readonly aside: Aside }
>(
  'ask-places-back',
  `with worked as materialized (
     select id, coalesce(fed_for, 0) as crawl_id,
            row_number() over (partition by coalesce(fed_for, 0) order by ${givingBack}) as nth
       from ${workedHosts('$1')}
   ), places as materialized (
     select crawl_id, count(*) as hosts from worked group by 1
   ), ${fairTurns({
     of: 'q.known and q.shard = $1',
     held: 'places',
     free: `least($2, ${String(atOnce)})`,
     crawl: `(select sum(hosts) from places) >= $2 and exists (select from places p where p.crawl_id <> c.id)`,
     host: hostIsKnown,
   })}, claims as (
     select w.id, coalesce(c.tenant_id, 0) as tenant_id, true as works,
            w.nth / coalesce((c.config ->> 'weight')::float8, 1) as share
       from worked w left join crawl c on c.id = w.crawl_id
     union all
     select r.host_id, c.tenant_id, false, r.nth / c.weight from ranked r join running c on c.id = r.crawl_id
   ), of_tenants as (
     select *, row_number() over (partition by tenant_id order by share, works desc, id) as of_tenant from claims
   ), fair as materialized (
     select id, works, row_number() over (order by of_tenant, works desc, share, id) <= $2 as has_place from of_tenants
   ), beyond as materialized (
     select h.id from host h
      where h.id in (select id from fair where works and not has_place)
        and exists (select from fair where not works and has_place)
        and h.fed and h.yield_at is null
      order by h.id for update skip locked
   ), asked as (
     update host h set yield_at = now() from beyond b where h.id = b.id
     returning h.id, h.origin, h.lease_token is null and h.not_before > now() as asleep
   )
   select to_jsonb(k) as asked, null as aside from asked k
   union all
   select null, to_jsonb(a) from aside a`,
);

/**
 * Puts right the turns of hosts that were looked at too early. `queues`: [{host_id, crawl_id}]. The statement runs
 * under the lock of the host, so that nobody gives the host back meanwhile: a turn is never noted too late. A host that
 * has not answered for a day no longer counts as answering. If all URLs of a host are due later, the host is looked at
 * again when the first is due, and within three seconds at the latest: URLs found there meanwhile wait no longer than
 * that. A host that waits for its crawl's own delay is looked at again within ten seconds: the delay may have been
 * lowered.
 */
export const correctTurns = statement<[queues: string], Record<string, never>>(
  'correct-turns',
  `with early as materialized (
     select * from json_to_recordset($1) as r(host_id bigint, crawl_id bigint)
   ), h as materialized (
     select id, fed or parked_at is not null as in_hand, known_at,
            greatest(not_before, closed_until,
                     case when known_at is null then greatest(lease_until, guest_until, lend_until) end) as at,
            coalesce(greatest(known_at, asked_at) < now() - interval '1 day', false) as forgotten
       from host where id in (select host_id from early)
      order by id for update skip locked
   ), held as materialized (
     select q.host_id, q.crawl_id from host_queue q join early e using (host_id, crawl_id)
      where q.host_id in (select id from h) order by q.host_id, q.crawl_id for update of q
   ), forgotten as (
     update host set known_at = null from h
      where host.id = h.id and h.known_at is not null and h.forgotten and not h.in_hand
        and (select count(*) from held) >= 0
   )
   update host_queue q
      set known = h.known_at is not null,
          turn_at = case when h.in_hand then null
                         when h.at > now() then h.at
                         when ${queueIsDue} then q.turn_at
                         when not (${isItsTurn})
                           then least(now() + interval '10 seconds', greatest(q.own_turn_at, q.held_until))
                         else greatest(now() + interval '1 second',
                                       least(now() + interval '3 seconds',
                                             (select min(due_at)
                                                from (select due_at from url
                                                       where host_id = q.host_id and crawl_id = q.crawl_id
                                                         and state = 'queued'
                                                       order by priority desc, key limit 100) first))) end
     from held l join h on h.id = l.host_id
    where q.host_id = l.host_id and q.crawl_id = l.crawl_id and q.turn_at <= now()`,
);

export interface ShardActivity {
  /** Hosts that are worked in the shard. */
  readonly active: number;
  /** Is any crawl running? */
  readonly running: boolean;
  /** Do bodies wait to be read, in any shard? */
  readonly unread: boolean;
  /** Worker processes that read bodies. */
  readonly readers: number;
}

export const shardActivity = statement<[shard: number], ShardActivity>(
  'shard-activity',
  `select (select count(*)::int from ${workedHosts('$1')}) as active,
          exists (select 1 from crawl where state in ('seeding', 'running', 'draining')) as running,
          exists (select 1 from url where stage > 0) as unread,
          (select count(*)::int from worker_process
            where 'extract' = any (roles) and seen_at > now() - interval '15 seconds') as readers`,
);

/** Number of shards, counted from shard 0 to the highest that any host was given. */
export const countShards = statement<[], { shards: number }>(
  'count-shards',
  `select coalesce(max(shard) + 1, 0)::int as shards from host`,
);
