import { fairTurns, hostIsKnown, type Aside } from '../fair-turns.ts';
import { statement } from '../statement.ts';
import { workedHosts } from '../worked-hosts.ts';

export interface AskedBack {
  readonly id: number;
  readonly origin: string;
  /** The host's workflow sleeps until the host may be visited, and must be told. */
  readonly asleep: boolean;
}

/** Places that are looked for in one statement, for each crawl; the next tick looks for more. */
const atOnce = 50;

/**
 * Which hosts of a crawl give their places back, the last first: hosts that were asked to a moment ago and still have
 * their places, then hosts that can do so soon, because a slice is under way or a timer ends before one; among these
 * the host that was worked longest. The other hosts are in trouble, lent, or wait for a fetch slot.
 */
const givingBack = `case when failures > 0 or lent then 0
                         when yield_at > now() - interval '30 seconds' then 2
                         when lease_until > now() or not_before > now() then 1
                         else 0 end, fed_at desc nulls last, id`;

/**
 * If all places are taken and a tenant or crawl with less than its fair share has hosts that are ready, marks hosts
 * that are worked beyond the fair share of theirs. All claims are ranked as if no place were taken, for each crawl the
 * worked hosts before the waiting ones; worked hosts that rank beyond the cap must give back. Between equals nothing
 * changes, so that no place goes to and fro. Nothing is looked for if one crawl has all the places.
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
