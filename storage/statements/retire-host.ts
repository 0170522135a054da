import { isItsTurn } from '../crawl-turns.ts';
import { statement } from '../statement.ts';

/**
 * Gives a host back to the scheduler, unless work is due and nobody else wants its place; then there is no row. Fetched
 * bodies are read first in any case.
 */
export const retireHost = statement<[hostId: string], { id: number }>(
  'retire-host',
  `update host h set fed = false
    where h.id = $1
      and not exists (select 1 from url u where u.host_id = h.id and u.stage > 0)
      and not exists (select 1 from url u where u.host_id = h.id and u.state = 'leased')
      and (h.yield_at is not null
           or not exists (select 1 from host_queue q
                            join crawl c on c.id = q.crawl_id and c.state = 'running'
                           cross join lateral (select 1 from url u
                                                where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                                  and u.state = 'queued' and u.due_at <= now() limit 1) due
                           where q.host_id = h.id and q.queued > 0 and ${isItsTurn}))
   returning id`,
);
