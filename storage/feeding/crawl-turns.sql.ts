/** Turns of crawls at one host. */
import type { SessionSign } from '../../domain/session/login-signs.ts';
import { timeCauseNames, type TimeSpent } from '../../domain/time-lost.ts';
import { statement } from '../postgres/index.ts';
import { openWaits } from '../times/index.ts';

export interface WaitingCrawl {
  readonly crawl_id: number;
  /**
   * Milliseconds since the head of the last answer to a request of the crawl's own at this host; null: there was none.
   */
  readonly asked_ago_ms: number | null;
  /**
   * Milliseconds for which the crawl has no turn, because a foreign fetcher of its tenant has reported trouble here, or
   * because URLs of its tenant alone have shown trouble.
   */
  readonly held_ms: number;
  /** How often in a row crawls of its tenant were held so, with no good answer to the tenant in between. */
  readonly held_times: number;
  /** What the last answers said of its session; null: nothing, or it has none. */
  readonly session_sign: SessionSign | null;
  /** A request on its behalf was let go to the host. */
  readonly reached: boolean;
  /**
   * How the crawl has waited at this host since its account of time ends, in milliseconds (storage/times/open-waits.ts);
   * null: nobody has looked.
   */
  readonly waited: TimeSpent | null;
}

/** Running crawls with URLs queued or leased at a host, but for those that the site has logged out. */
export const waitingCrawls = statement<[hostId: string | number], WaitingCrawl>('waiting-crawls')`
   select q.crawl_id, (extract(epoch from now() - q.asked_at) * 1000)::float8 as asked_ago_ms,
          case when q.held_until > now() then extract(epoch from q.held_until - now()) * 1000 else 0 end::float8 as held_ms, q.held_times, q.session_sign, q.reached,
          json_build_object(${timeCauseNames.map((cause) => `'${cause}', open.${cause} * 1000`).join(', ')}) as waited
     from host_queue q join crawl c on c.id = q.crawl_id and c.state = 'running'
     join host h on h.id = q.host_id
     left join host_time t on t.crawl_id = q.crawl_id and t.host_id = q.host_id
     ${openWaits}
    where q.host_id = $1 and (q.has_queued or q.leased > 0) and q.logged_out_at is null`;

export interface NotedTurn {
  readonly crawl_id: number;
  /** Milliseconds since the head of the last answer to a request of the crawl's own. */
  readonly asked_ago_ms: number;
  /** Milliseconds until the crawl's next turn by its own delay; null: the host's delay is at least as long. */
  readonly turn_in_ms: number | null;
  /** Version of the crawl's settings that have this delay. */
  readonly version: number;
  /** As `WaitingCrawl` has it; null: nothing new. */
  readonly session_sign?: SessionSign | null;
  /** A request on the crawl's behalf was answered, or failed otherwise than by the guard of addresses. */
  readonly reached?: boolean;
}

/**
 * Notes when crawls last asked a host and when each has its next turn. `turns`: NotedTurn[]. A caller that comes late
 * with an older request changes nothing; two callers may time the same request an instant apart. `well`: crawls to which
 * the host has answered well, asked by a worker of ours, so that trouble which foreign fetchers of their tenants reported,
 * or which URLs of these tenants alone have shown, no longer holds. Other tenants' answers say nothing of it.
 */
export const noteTurns = statement<[hostId: string, turns: string, well: readonly number[]]>('note-turns')`
   with t as materialized (
     select crawl_id, now() - asked_ago_ms * interval '1 millisecond' as asked_at,
            coalesce(now() + turn_in_ms * interval '1 millisecond', '-infinity') as turn_at, version, session_sign, reached
       from json_to_recordset($2) as t(crawl_id bigint, asked_ago_ms float8, turn_in_ms float8, version int, session_sign text, reached boolean)
   ), freed as materialized (
     select q.crawl_id from host_queue q join crawl c on c.id = q.crawl_id
      where q.host_id = $1 and q.held_until > '-infinity'
        and c.tenant_id in (select tenant_id from crawl where id = any ($3))
   ), held as materialized (
     select q.crawl_id, t.asked_at, t.turn_at, t.version, t.session_sign, t.reached, f.crawl_id is not null as freed
       from host_queue q left join t using (crawl_id) left join freed f using (crawl_id)
      where q.host_id = $1 and (t.asked_at > coalesce(q.asked_at, '-infinity') - interval '1 second' or f.crawl_id is not null)
      order by q.crawl_id for update of q
   )
   update host_queue q
      set asked_at = greatest(held.asked_at, q.asked_at), own_turn_at = coalesce(held.turn_at, q.own_turn_at),
          turn_version = coalesce(held.version, q.turn_version),
          session_sign = coalesce(held.session_sign, q.session_sign), reached = q.reached or coalesce(held.reached, false),
          held_until = case when held.freed then '-infinity' else q.held_until end,
          held_times = case when held.freed then 0 else q.held_times end
     from held where q.host_id = $1 and q.crawl_id = held.crawl_id`;

/**
 * Notes that a request was let go to the host on behalf of these crawls, of which no turn is noted: robots.txt alone was
 * asked for, and belongs to no crawl.
 */
export const markReached = statement<[hostId: string, crawlIds: readonly number[]]>('mark-reached')`
   with held as materialized (
     select crawl_id from host_queue where host_id = $1 and crawl_id = any ($2) and not reached
      order by crawl_id for update
   )
   update host_queue q set reached = true from held where q.host_id = $1 and q.crawl_id = held.crawl_id`;

/**
 * Takes the turns at the host, for this many milliseconds, from all crawls of the crawl's tenant: a foreign fetcher of
 * this tenant has reported trouble there, or the tenant's URLs alone have shown it. `times`: as `held_times`.
 */
export const holdTurns = statement<[hostId: string | number, crawlId: number, ms: number, times: number]>(
  'hold-turns',
)`
   with held as materialized (
     select q.crawl_id from host_queue q join crawl c on c.id = q.crawl_id
      where q.host_id = $1 and c.tenant_id = (select tenant_id from crawl where id = $2)
      order by q.crawl_id for update of q
   )
   update host_queue q set held_until = greatest(q.held_until, now() + $3 * interval '1 millisecond'), held_times = $4
     from held where q.host_id = $1 and q.crawl_id = held.crawl_id`;
