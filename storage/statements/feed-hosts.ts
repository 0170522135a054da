import { fairTurns, hostIsKnown, type Aside } from '../fair-turns.ts';
import { onceHeld } from '../queue-locks.ts';
import { statement } from '../statement.ts';
import { workedHosts } from '../worked-hosts.ts';

export interface FedHost {
  readonly id: number;
  readonly origin: string;
}

/**
 * Marks hosts of a shard with due URLs that nobody works, up to the cap of active ones, in fair turns of tenants and
 * crawls (fair-turns.ts). The queues are locked in their order before the hosts are marked: the trigger that takes their
 * turns away comes after it.
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
