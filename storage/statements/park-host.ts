import { unansweredTroubles } from '../../domain/trouble.ts';
import { statement } from '../statement.ts';

/** Its backoff ends with the parking: the next to ask the host is a person, a new crawl, or a probe much later. */
const rest = `case when split_part($2, ':', 1) in (${unansweredTroubles.map((name) => `'${name}'`).join(', ')})
                       then paced_until else not_before end`;

/**
 * Parks a host: it waits for a person or a probe. URLs whose last try ended in the host's own
 * trouble (`classes`) become dead letters; the rest stays queued, those included that wait for a retry of their own.
 * `newly`: it was not parked; null: there is no such host.
 */
export const parkHost = statement<
  [hostId: string, reason: string, classes: readonly string[]],
  { readonly buried: number; readonly newly: boolean | null }
>(
  'park-host',
  `with parked as (
     update host set parked_at = coalesce(parked_at, now()), last_error = $2, fed = false, not_before = ${rest}
      where id = $1
     returning old.parked_at is null as newly
   ), moved as (
     update url set state = 'failed', detail = coalesce(detail, $2)
      where host_id = $1 and state = 'queued' and attempts > 0 and reason = any ($3)
     returning host_id, crawl_id, key, reason, status, detail, attempts
   ), evident as (
     select m.*, last.headers from moved m
       left join lateral (select a.headers from attempt a
                           where a.host_id = m.host_id and a.crawl_id = m.crawl_id and a.key = m.key
                           order by a.at desc limit 1) last on true
   ), buried as (
     insert into dead_letter (host_id, crawl_id, key, class, status, message, attempts, headers)
     select host_id, crawl_id, key, reason, status, detail, attempts, headers from evident
     on conflict (host_id, crawl_id, key) do update
       set class = excluded.class, status = excluded.status, message = excluded.message, attempts = excluded.attempts,
           headers = excluded.headers, created_at = excluded.created_at
   )
   select count(*)::int as buried, (select newly from parked) from moved`,
);
