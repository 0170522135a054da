/** Hosts in trouble that only URLs of one tenant have shown, where others wait. */
import { isItsTurn } from '../hosts/index.ts';
import { onceHeld } from '../frontier/index.ts';
import { statement } from '../postgres/index.ts';

/** Most hosts in one look. */
const atOnce = 50;

/**
 * Lets others ask hosts of a shard that wait out a trouble which URLs of one tenant alone have shown: a URL of another
 * tenant is due there, and no answer has asked all for so long a pause. The crawls of that tenant wait on, and if their URLs fail again, for twice as long; the host's pace
 * and its failures stay, so that a failure of the others' URLs, too, is the host's trouble. `fed`: the host has a workflow,
 * which sleeps, and which the caller must tell; after a crash before that, `refeedHosts` finds the host. Locks the host, then all its queues in their order: those of others, too,
 * are changed by the trigger that gives them their turns.
 */
export const letOthersAsk = statement<[shard: number], { id: number; origin: string; fed: boolean }>(
  'let-others-ask',
)`
   with wanted as materialized (
     select h.id, h.blamed_tenant as tenant_id, h.not_before as until, h.failures from host h
      where h.shard = $1 and h.blamed_tenant is not null and h.failures > 0
        and h.not_before > now() + interval '1 second' and coalesce(h.others_from, '-infinity') <= now()
        and h.parked_at is null and h.paused_at is null and (h.lease_token is null or h.lease_until < now())
        and exists (select 1 from host_queue q
                      join crawl c on c.id = q.crawl_id and c.state = 'running' and c.tenant_id <> h.blamed_tenant
                     cross join lateral (select 1 from url u
                                          where u.host_id = q.host_id and u.crawl_id = q.crawl_id
                                            and u.state = 'queued' and u.due_at <= now() limit 1) due
                     where q.host_id = h.id and q.has_queued and ${isItsTurn})
      order by h.id limit ${atOnce}
      for update of h skip locked
   ), held as materialized (
     select q.host_id, q.crawl_id, w.tenant_id, w.until, w.failures from host_queue q join wanted w on w.id = q.host_id
      order by q.host_id, q.crawl_id for update of q
   ), waiting as (
     update host_queue q set held_until = greatest(q.held_until, held.until), held_times = greatest(q.held_times, held.failures)
       from held join crawl c on c.id = held.crawl_id and c.tenant_id = held.tenant_id
      where q.host_id = held.host_id and q.crawl_id = held.crawl_id
   )
   update host h set not_before = greatest(h.paced_until, now()), blamed_tenant = null, others_from = null
     from wanted w where h.id = w.id and ${onceHeld}
   returning h.id, h.origin, h.fed`;
