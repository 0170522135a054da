import { isItsTurn } from '../crawl-turns.ts';
import { statement } from '../statement.ts';

/**
 * Hosts that have no worker although they should have one (a workflow was terminated by hand, or a crash came between
 * two steps of feeding): work waits, the host may be visited, and no lease was held for ten seconds. A workflow that is
 * alive after all is only woken once more.
 */
export const refeedHosts = statement<[shard: number], { id: number; origin: string }>(
  'refeed-hosts',
  `update host h set fed = true, fed_at = now()
     from (
       select h.id from host h
        where h.shard = $1 and h.parked_at is null and h.paused_at is null
          and h.not_before < now() - interval '10 seconds' and h.closed_until < now() - interval '10 seconds'
          and coalesce(h.lease_until, '-infinity') < now() - interval '10 seconds'
          and coalesce(h.fed_at, '-infinity') < now() - interval '10 seconds'
          and (exists (select 1 from url u where u.host_id = h.id and u.stage > 0)
               or exists (select 1 from url u where u.host_id = h.id and u.state = 'leased')
               or h.fed and exists (select 1 from host_queue q
                                      join crawl c on c.id = q.crawl_id and c.state = 'running'
                                     cross join lateral (select 1 from url u
                                                          where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                                            and u.state = 'queued' and u.due_at <= now() limit 1) due
                                     where q.host_id = h.id and q.queued > 0 and ${isItsTurn}))
        order by h.fed_at nulls first limit 20
        for update skip locked
     ) lost
    where h.id = lost.id
   returning h.id, h.origin`,
);
