/** How a host is parked, and comes back. */
import type { DeadLetterClass } from '../../domain/dead-letter.ts';
import { unansweredTroubles, type TroubleClass } from '../../domain/trouble.ts';
import { statement } from '../postgres/index.ts';
import { onceHeld } from '../frontier/index.ts';
import { endingsThatGoOn } from '../../domain/crawl-life.ts';

/**
 * `not_before` of a host that parks. If the host did not answer, the rest of its backoff ends: next a person or a new
 * crawl asks the host, or a probe much later. If the host answered, it may have asked for this wait: the wait stays.
 */
const rest = `case when split_part($2, ':', 1) in (${unansweredTroubles.map((name) => `'${name}'`).join(', ')})
                       then paced_until else not_before end`;

/**
 * Parks a host: it waits for a person or a probe. URLs whose last try ended in the host's own trouble (`classes`)
 * become dead letters. The other URLs stay queued, even those that wait for a retry of their own. `newly`: the host was
 * not parked before; null: there is no such host.
 */
export const parkHost = statement<
  [hostId: string, reason: string, classes: readonly TroubleClass[]],
  { buried: number; newly: boolean | null }
>('park-host')`
   with parked as (
     update host set parked_at = coalesce(parked_at, now()), last_error = $2, fed = false, not_before = ${rest}
      where id = $1
     returning old.parked_at is null as newly
   ), held as materialized (
     select from host_queue where host_id = $1 and (select count(*) from parked) >= 0 order by crawl_id for update
   ), moved as (
     update url set state = 'failed', detail = coalesce(detail, $2)
      where host_id = $1 and state = 'queued' and attempts > 0 and reason = any ($3) and ${onceHeld}
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
   select count(*)::int as buried, (select newly from parked) from moved`;

/**
 * Forgets a host's trouble: failures, backoff, parking, and how it was slowed down. The rest of a wait for its pace
 * stays. Its dead letters are not touched; driving them again is a step of its own.
 */
export const unparkHost = statement<[hostId: string], { was_parked: boolean }>('unpark-host')`
   update host set parked_at = null, failures = 0, failing_since = null, last_error = null,
                   failing = '{}', complained = '{}', slowdown = 0, clean = 0, not_before = paced_until, lend_until = null,
                   fed = true, fed_at = now()
    where id = $1 returning old.parked_at is not null as was_parked`;

/**
 * Locks open crawls that have work at a host, in the order of their ids. Everywhere crawls are locked before hosts;
 * storage/frontier/queue-locks.ts says what is locked after these. The holder may write events of these crawls.
 */
export const lockCrawlsAtHost = statement<[hostId: string, most: number], { id: number }>(
  'lock-crawls-at-host',
)`
   select c.id from crawl c
     join (select crawl_id from host_queue where host_id = $1 and queued + leased > 0) q on q.crawl_id = c.id
    where c.state in ('seeding', 'running', 'paused', 'draining')
    order by c.id limit $2 for no key update of c`;

/**
 * URLs of a host that failed and wait for a time of their own become due now. Such URLs have priorities of 0 or less.
 */
export const makeDue = statement<[hostId: string]>('make-due')`
   with held as materialized (
     select crawl_id from host_queue where host_id = $1 and has_queued order by crawl_id for update
   )
   update url u set due_at = now() from held
    where u.host_id = $1 and u.crawl_id = held.crawl_id and u.state = 'queued' and u.priority <= 0
      and u.due_at > now() and ${onceHeld}`;

const goOn = endingsThatGoOn.map((ending) => `'${ending}'`).join(', ');

/**
 * Crawls that would go on if a parked host answered again: they may send requests, or have merely run out of work, and
 * have URLs queued there or dead letters of these classes. For a crawl that is paused, was cancelled or ended at a
 * limit, the host need not be asked.
 */
export const crawlsOfParked = statement<
  [hostId: string, classes: readonly DeadLetterClass[]],
  { id: number; reached: boolean }
>('crawls-of-parked')`
   select c.id, q.reached from host_queue q join crawl c on c.id = q.crawl_id
    where q.host_id = $1
      and (c.state in ('seeding', 'running') or c.state in ('finished', 'failed') and c.cause in (${goOn}))
      and (q.has_queued or exists (select from dead_letter d where d.host_id = q.host_id and d.crawl_id = c.id
                                                               and d.class = any ($2)))
    order by c.id`;
