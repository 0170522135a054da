import { isItsTurn } from '../crawl-turns.ts';
import { queueIsDue } from '../fair-turns.ts';
import { statement } from '../statement.ts';

/**
 * Puts right the turns of hosts that were looked at too early. `queues`: [{host_id, crawl_id}]. Runs under the lock of
 * the host, so that nobody gives the host back meanwhile: a turn is never noted too late. A host that was not heard of
 * for a day no longer counts as answering. If all URLs of a host are due later, the host is looked at again when the
 * first is due, and within three seconds: URLs found there meanwhile wait no longer than that. A host that waits for
 * its crawl's own delay is looked at again within ten seconds: the delay may have been lowered.
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
