import { workedHosts } from '../worked-hosts.ts';
import { statement } from '../statement.ts';

/** Picks hosts of a shard with due URLs that nobody works, up to the cap of active ones, longest unfed first. */
export const feedHosts = statement<[shard: number, activeHosts: number], { id: number; origin: string }>(
  'feed-hosts',
  `update host h set fed = true, fed_at = now()
     from (
       select h.id from host h
        where h.shard = $1 and not h.fed and h.parked_at is null and h.not_before <= now()
          and h.closed_until <= now()
          and exists (select 1 from host_queue q
                        join crawl c on c.id = q.crawl_id and c.state = 'running'
                       cross join lateral (select 1 from url u
                                            where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                              and u.state = 'queued' and u.due_at <= now() limit 1) due
                       where q.host_id = h.id and q.queued > 0)
        order by h.fed_at nulls first, h.id
        limit greatest(0, $2 - (select count(*) from ${workedHosts('$1')}))
        for update skip locked
     ) chosen
    where h.id = chosen.id
   returning h.id, h.origin`,
);
